"""How long until something can be done? Imports, the first answer, and the command line.

Each is a process of its own, started from nothing. numpy is what everybody loads, and Python
itself is the least that a command can cost.
"""

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.case import Case

ROOT = Path(__file__).parents[2]
COMMANDS = (
    ("explain", "complete:6", "--epsilon", "1"),
    ("choose", "complete:4", "--below", "1/2"),
    ("bound", "line:4", "--records", "100", "--ratio", "2"),
    ("bound", "complete:6", "--epsilon", "1", "--records", "1000000000"),
    ("explain", "line:2000", "--epsilon", "1"),
    ("audit", "examples/studies/hospital.toml"),
    ("audit", "examples/studies/agency.toml"),
    ("audit", "examples/studies/places.toml"),
    ("audit", "examples/studies/wages.toml", "--report", "page.html"),
)
ROWS = "[[0.75, 0.25], [0.5, 0.5]]"


def run(*command: str) -> str:
    """Return what a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def python(code: str) -> Callable[[None], str]:
    """Return what runs some code in a new interpreter."""
    return lambda _: run(sys.executable, "-c", code)


def command_line(*words: str) -> Callable[[None], str]:
    """Return what runs our command; that a policy is broken is an answer too."""
    own = str(Path(sys.executable).with_name("leaktight"))
    asked = tuple(str(ROOT / word) if word.startswith("examples/") else word for word in words)

    def way(_: None) -> str:
        with TemporaryDirectory(prefix="leaktight-") as folder:
            done = subprocess.run((own, *asked), cwd=folder, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    return way


def close(answers: Mapping[str, str]) -> str:
    """Demand that all print 1.25."""
    assert all(abs(float(text) - 1.25) < 1e-12 for text in answers.values() if text), answers
    return "the same answer"


CASES = (
    Case(
        task="import, numpy included",
        sizes=(1,),
        prepare=lambda _: None,
        ways={
            "leaktight": python("import numpy, leaktight"),
            "qif": python("import numpy, qif"),
            "dit": python("import numpy, dit"),
            "opendp": python("import numpy, opendp.prelude"),
            "qiflib": python("import numpy, qiflib.core"),
            "pyqif": python("import numpy, pyqif"),
            "numpy": python("import numpy"),
        },
        agree=lambda _: "",
        limit="numpy",
        rounds=5,
        note="Ours loads each name when it is first used; see the first answer.",
    ),
    Case(
        task="first answer: the capacity of a 2×2 channel",
        sizes=(1,),
        prepare=lambda _: None,
        ways={
            "leaktight": python(
                f"import leaktight as lt\nprint(float(lt.min_capacity(lt.Channel({ROWS})).factor))"
            ),
            "qif": python(
                "import numpy as np, qif\n"
                f"print(qif.measure.bayes_vuln.mult_capacity(np.array({ROWS})))"
            ),
            "pyqif": python(
                f"import numpy as np, pyqif\nprint(pyqif.measure.bayes.capacity(np.array({ROWS})))"
            ),
            "dit": python(
                "import numpy as np, dit\n"
                f"joint = np.array({ROWS}) / 2\n"
                "joint = dit.Distribution.from_array(joint, ['X', 'Z'], [[0, 1], [0, 1]])\n"
                "print(2 ** dit.other.maximal_leakage(joint, 'X', 'Z'))"
            ),
            "numpy": python("import numpy"),
        },
        agree=close,
        limit="numpy",
        rounds=5,
    ),
    *(
        Case(
            task=f"leaktight {' '.join(command)}",
            sizes=(1,),
            prepare=lambda _: None,
            ways={"leaktight": command_line(*command), "numpy": python("import numpy")},
            agree=lambda _: "",
            limit="numpy",
            rounds=5,
        )
        for command in COMMANDS
    ),
    Case(
        task="leaktight --help",
        sizes=(1,),
        prepare=lambda _: None,
        ways={
            "leaktight": lambda _: run(str(Path(sys.executable).with_name("leaktight")), "--help"),
            "python -c pass": python("pass"),
        },
        agree=lambda answers: "" if "usage" in answers["leaktight"].lower() else "no help",
        limit="python -c pass",
    ),
)
