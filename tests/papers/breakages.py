"""Public functions that claims use, which claims use each, and ways to break one.

A function is broken where the claims' modules hold it, not where it is defined: what the library
itself computes with it stays right, so that only a claim that looks at its answer can notice.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

from leaktight_papers.claim import Claim, run
from leaktight_papers.register import REGISTER

ROOMS = (
    "exact",
    "policies",
    "channels",
    "leakage",
    "privacy",
    "worst_case",
    "mechanisms",
    "repetition",
)


@dataclass(frozen=True)
class Breakage:
    """A public function and how it is broken: None for every answer, or an argument not heeded."""

    name: str
    how: str

    def __str__(self) -> str:
        return f"{self.name}: {self.how}"


@cache
def public_functions() -> dict[str, FunctionType]:
    """Return the public functions of the rooms by name."""
    rooms = [import_module(f"leaktight.{room}") for room in ROOMS]
    named = {name: getattr(room, name) for room in rooms for name in room.__all__}
    return {name: one for name, one in named.items() if inspect.isfunction(one)}


def paper_modules() -> list[ModuleType]:
    """Return the modules of the claims and of what they need."""
    return [m for name, m in sys.modules.items() if name.startswith("leaktight_papers.")]


def used_by(claim: Claim) -> frozenset[str]:
    """Name the public functions that the code of a claim can reach within the papers' modules."""
    names = {id(function): name for name, function in public_functions().items()}
    found, seen, waiting = set[str](), set[int](), [claim.check]
    while waiting:
        function: Any = inspect.unwrap(waiting.pop())
        for name in _names(function.__code__):
            value = function.__globals__.get(name)
            if id(value) in names:
                found.add(names[id(value)])
            elif callable(value) and id(value) not in seen:
                seen.add(id(value))
                if inspect.isfunction(inspect.unwrap(value)) and _is_ours(value):
                    waiting.append(value)
    return frozenset(found)


def _is_ours(value: Any) -> bool:
    return str(value.__module__).startswith("leaktight_papers.")


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names(part)


@cache
def passed_arguments() -> dict[str, frozenset[str]]:
    """Return for each public function the parameters that some call in the papers passes."""
    functions, found = public_functions(), dict[str, set[str]]()
    for module in paper_modules():
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            name = node.func.id
            if name in functions and vars(module).get(name) is functions[name]:
                order = list(inspect.signature(functions[name]).parameters)
                given = order[: len(node.args)] + [k.arg for k in node.keywords if k.arg]
                found.setdefault(name, set()).update(given)
    return {name: frozenset(given) for name, given in found.items()}


@cache
def breakages() -> dict[str, list[Breakage]]:
    """List every way to break every public function that some claim uses, by its name."""
    used = frozenset[str]().union(*map(used_by, REGISTER.values()))
    found = {}
    for name in sorted(used):
        made = found[name] = [Breakage(name, "returns None")]
        passed = passed_arguments().get(name, frozenset())
        for parameter in inspect.signature(public_functions()[name]).parameters.values():
            if parameter.name in passed:
                if parameter.name != "epsilon":  # another way to give the ratio
                    made.append(Breakage(name, f"keeps the first {parameter.name}"))
                if parameter.default is not inspect.Parameter.empty:
                    made.append(Breakage(name, f"ignores {parameter.name}"))
    return found


def broken(breakage: Breakage) -> Callable[..., Any]:
    """Return the function as it is broken, with no calls behind it."""
    function = public_functions()[breakage.name]
    if breakage.how == "returns None":
        return lambda *_, **__: None
    signature, first = inspect.signature(function), dict[str, Any]()
    verb, _, argument = breakage.how.rpartition(" ")

    def wrong(*args: Any, **named: Any) -> Any:
        given = signature.bind(*args, **named)
        if argument in given.arguments:
            if verb == "ignores":
                del given.arguments[argument]
            else:
                given.arguments[argument] = first.setdefault(argument, given.arguments[argument])
        return function(*given.args, **given.kwargs)

    return wrong


def notices(claim: Claim, breakage: Breakage) -> bool:
    """Say whether a claim does not come out once a function is broken."""
    function, wrong = public_functions()[breakage.name], broken(breakage)
    with pytest.MonkeyPatch.context() as patch:
        for module in paper_modules():
            for name in [n for n, value in vars(module).items() if value is function]:
                patch.setattr(module, name, wrong)
        _forget()
        try:
            return not run(claim).holds
        except Exception:  # whatever a wrong answer leads to, nobody takes it for evidence
            return True
        finally:
            _forget()


def _forget() -> None:
    """Empty what the papers' modules remember."""
    for module in paper_modules():
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear"):
                value.cache_clear()
