"""A process that answers questions, a line at a time, so that it can be stopped.

Each line that comes in is a task and its request, separated by a space; the lines that go out are
JSON: how far it is, and at the end the answer or what was wrong. The process ends when nobody asks
any more.
"""

import os
import sys
import traceback
from typing import Any, TextIO

import msgspec

from leaktight.errors import LeaktightError
from leaktight.web.answer import OWN, TASKS, read_asked


def main() -> None:
    """Answer until the input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is no answer
    with open(os.devnull, "w") as nobody:  # what is imported late is there when somebody asks
        answered("answer", b'{"study":{"policy":{"values":3},"question":{"ratio":2}}}', nobody)
    _say(out, {"ready": True})  # from here on the time of questions is counted
    for line in sys.stdin.buffer:
        task, _, body = line.partition(b" ")
        _say(out, answered(task.decode(), body, out))


def answered(task: str, body: bytes, out: TextIO) -> dict[str, Any]:
    """Return the answer to a request, or what is wrong with it; tell ``out`` how far it is."""
    try:
        found = (TASKS | OWN)[task](
            read_asked(body),
            lambda what, part, point=None: _say(
                out, {"progress": what, "done": part, "point": point}
            ),
        )
    except LeaktightError as wrong:
        return {"wrong": " ".join(str(wrong).split())}
    except MemoryError:
        return {"wrong": "there is not enough memory for this; ask for something smaller"}
    except Exception as wrong:  # a mistake of ours must not end the server, nor be shown
        traceback.print_exc()
        return {"wrong": f"leaktight made a mistake: {type(wrong).__name__}", "mistake": True}
    return {"answer": found}


def _say(out: TextIO, what: dict[str, Any]) -> None:
    out.write(msgspec.json.encode(what).decode() + "\n")
    out.flush()


if __name__ == "__main__":
    main()
