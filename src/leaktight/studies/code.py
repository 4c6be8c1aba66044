"""Functions of the user's own, loaded only if that was allowed, from a named file."""

import importlib.util
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.channels.program import channel_of
from leaktight.errors import InvalidInput
from leaktight.labels import suggestion


def load_function(name: str, folder: Path, *, allow_code: bool) -> tuple[Callable[..., Any], Path]:
    """Return the function ``module:function`` of a file in ``folder``, and the file.

    Loading runs the file, so without ``allow_code`` it is refused.
    """
    if not allow_code:
        raise InvalidInput(f"{name!r:.60} is Python code; if you trust it, pass --allow-code")
    module, _, function = name.partition(":")
    source = folder / f"{module}.py"
    if not module.isidentifier() or not function.isidentifier() or not source.is_file():
        raise InvalidInput(
            f"a function must be module:function of a file in {folder}, got {name!r:.60}"
        )
    spec = importlib.util.spec_from_file_location(f"study:{module}", source)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[loaded.__name__] = loaded  # dataclasses look their module up there
    try:
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(loaded)
    except (Exception, SystemExit) as wrong:
        found = f"{type(wrong).__name__}: {wrong}"
        raise InvalidInput(f"{name!r:.60} cannot be loaded: {found}") from None
    finally:
        del sys.modules[loaded.__name__]
    own = [each for each, what in vars(loaded).items() if callable(what)]
    if function not in own:
        raise InvalidInput(f"{source} has no function {function!r}; {suggestion(function, own)}")
    return getattr(loaded, function), source


def called(name: str, program: Callable[..., Any], inputs: Any) -> Channel:
    """Return the channel of a program that may raise anything."""
    try:
        with redirect_stdout(sys.stderr):
            return channel_of(program, inputs)
    except InvalidInput:
        raise
    except (Exception, SystemExit) as wrong:
        raise InvalidInput(f"{name!r} raised {type(wrong).__name__}: {wrong}") from None
