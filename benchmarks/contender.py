"""How is one way timed? In its own process, which may crash, hang or eat the memory."""

import importlib
import multiprocessing
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.case import NotTried


class Run(NamedTuple):
    """One run: the seconds, the memory it took on top of its input, and the answer."""

    seconds: float
    megabytes: float | None
    answer: Any


class Failed(Exception):
    """A contender gave no answer; the text says why."""


def _memory(key: str) -> float | None:
    """Return a line of the system's account of this process, in megabytes, if it keeps one."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(key)), None)


def _forget_peak() -> None:
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _serve(connection: Connection, module: str, number: int, way: str) -> None:
    """Do the task once for every size that is asked for, until nothing more is."""
    try:
        case = importlib.import_module(module).CASES[number]
        work = case.ways[way]
        while (size := connection.recv()) is not None:
            given = case.prepare(size)
            connection.send(None)
            _forget_peak()
            before = _memory("VmRSS")
            start = time.perf_counter()
            answer = work(given)
            seconds = time.perf_counter() - start
            peak = _memory("VmHWM")
            extra = None if before is None or peak is None else max(0.0, peak - before)
            connection.send(Run(seconds, extra, answer))
    except NotTried as why:
        connection.send(str(why))
    except Exception as wrong:
        connection.send(f"{type(wrong).__name__}: {wrong}".splitlines()[0])


class Contender:
    """A process that does one way of one case."""

    def __init__(self, module: str, number: int, way: str, patience: float) -> None:
        self.patience = patience
        ours, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_serve, args=(theirs, module, number, way))
        self._process.start()
        theirs.close()
        self._connection = ours

    def run(self, size: int) -> Run:
        """Do the task once. Failed says that it crashed, raised or took too long."""
        try:
            self._connection.send(size)
            reply = self._connection.recv()
            if reply is None:  # the input is ready
                if not self._connection.poll(self.patience):
                    raise Failed(f"given up after {self.patience:.0f} s")
                reply = self._connection.recv()
        except (EOFError, OSError):
            self._process.join()
            raise Failed(f"crashed, exit code {self._process.exitcode}") from None
        if isinstance(reply, str):
            raise Failed(reply)
        return Run(*reply)

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
