"""Run the command line: ``python -m leaktight``."""

from leaktight_command import main

if __name__ == "__main__":
    main()
