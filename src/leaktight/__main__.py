"""Run the command line: ``python -m leaktight``."""

from leaktight.commands.app import main

if __name__ == "__main__":
    main()
