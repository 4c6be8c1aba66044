"""The blocks of docs/how-to/other-libraries.md, run as they stand."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "other-libraries.md"


def printed_and_promised(library: str) -> tuple[str, str]:
    """Return what the block of a library prints, and what the page says that it prints."""
    section = PAGE.read_text("utf-8").split(f"\n## {library}\n")[1].split("\n## ")[0]
    code, promised = re.findall(r"```(?:python|text)\n(.*?)```", section, re.S)[:2]
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(code, f"{PAGE.name}, {library}", "exec"), {})
    return out.getvalue(), promised
