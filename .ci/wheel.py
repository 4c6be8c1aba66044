"""Does the wheel work where nothing else of the repository is? ``make wheel``.

It is installed in an empty environment in a temporary folder. Then the README's Python runs, and
its commands that need no file of the repository.
"""

import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
OTHERS = ("explore", "examples/", "mine:")
"""What a command that is left out has in it: a page that would wait, files of the repository or of
the reader."""


def commands(readme: str) -> list[list[str]]:
    """Return the README's commands that can be run anywhere, word by word."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", readme, re.M | re.S)
    plain = "\n".join(text for language, text in blocks if not language)
    lines = re.findall(r"^leaktight ([^#\n]+)", plain, re.M)
    return [line.split() for line in lines if not any(word in line for word in OTHERS)]


def main(wheel: Path) -> None:
    """Install the wheel and try it."""
    readme = (ROOT / "README.md").read_text("utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        python, command = folder / "venv/bin/python", folder / "venv/bin/leaktight"

        def run(*words: str | Path) -> None:
            print("$", *(Path(word).name for word in words[:1]), *words[1:], flush=True)
            subprocess.run(
                words, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL
            )

        run(python, "-m", "pip", "install", "--quiet", wheel.resolve())
        run(python, "-m", "pip", "check")
        (folder / "README.md").write_text(readme, "utf-8")
        run(python, "-m", "doctest", "-o", "NORMALIZE_WHITESPACE", "README.md")
        run(command, "--version")
        for words in commands(readme):
            run(command, *words)
    print(f"{wheel.name} works where it was installed")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
