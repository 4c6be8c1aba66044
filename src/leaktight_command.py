"""The command ``leaktight`` from its first moment to its last: Ctrl-C ends it, with no traceback.

It stands beside the package, as importing that takes long enough for somebody to change their mind,
and a library must leave signals alone. Exit codes are listed in :mod:`leaktight.commands.app`.
"""

import os

STOPPED = 130
"""The exit code if the user stops a command, as a shell has it."""


def main() -> None:
    """Run a command; before it begins, and once it is done, Ctrl-C has nothing to clean up."""
    try:
        import signal  # which takes a moment, too

        ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # or it is ignored
        if ours:
            signal.signal(signal.SIGINT, _leave)
        from leaktight.commands.app import main as run

        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            run()
        finally:
            if ours:
                signal.signal(signal.SIGINT, _leave)
    except KeyboardInterrupt:
        os._exit(STOPPED)


def _leave(*of_signal: object) -> None:
    os._exit(STOPPED)


if __name__ == "__main__":
    main()
