"""Processes for questions, which are stopped if they take too long or nobody waits.

By ending its process. A few processes stand ready; one that was ended is replaced at once. As a new
one takes a second to be ready, a question that nobody waits for gets two to come to its end.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import msgspec

WORKERS = 2
"""How many questions are answered at once: a page asks one, while another comes to its end."""

SECONDS = 30.0
"""How long a question may take."""

GRACE = 2.0
"""How long a question may take that nobody waits for, before its process is ended."""

PROGRESS = b'{"progress"'
"""How a line begins after which there are more."""

LONGEST_LINE = 2**26
"""The most bytes of an answer."""


class Pool:
    """Processes that answer questions, for as long as the pool is entered."""

    def __init__(self, workers: int = WORKERS, seconds: float = SECONDS) -> None:
        self.workers, self.seconds = workers, seconds
        self._idle: asyncio.Queue[Process] = asyncio.Queue()
        self._alive: set[Process] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def __aenter__(self) -> Self:
        for _ in range(self.workers):
            self._later(self._started())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, wrong: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()
        await asyncio.gather(*(process.wait() for process in self._alive))

    def close(self) -> None:
        """End whatever is being answered."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        for process in self._alive:
            with suppress(ProcessLookupError):
                process.kill()

    async def ask(self, task: str, body: bytes) -> AsyncIterator[bytes]:
        """Yield lines of JSON: how far it is, and last the answer or what is wrong.

        If it takes too long the process is ended, and soon after whoever asked stops listening.
        """
        process, done = await self._idle.get(), False
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            with suppress(ConnectionError):  # it may have been ended from outside
                process.stdin.write(task.encode() + b" " + body.replace(b"\n", b" ") + b"\n")
                await process.stdin.drain()
            async with asyncio.timeout(self.seconds):
                while not done and (line := await process.stdout.readline()):
                    done = not line.startswith(PROGRESS)
                    yield line
            if not done:
                yield _wrong("its process was ended, for want of memory or by somebody")
        except TimeoutError:
            process.kill()
            yield _wrong(
                f"this takes longer than {self.seconds:g} seconds, and was stopped; save the "
                'study: "leaktight audit study.toml" takes its time'
            )
        finally:
            if done:
                self._idle.put_nowait(process)
            else:
                self._later(self._finished(process))

    async def _finished(self, process: Process) -> None:
        """Let a process come to the end of a question, and if it does not, replace it."""
        assert process.stdout is not None
        line = PROGRESS
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                while line.startswith(PROGRESS):
                    line = await process.stdout.readline()
        if line and not line.startswith(PROGRESS):
            self._idle.put_nowait(process)
        else:
            with suppress(ProcessLookupError):
                process.kill()
            await self._started()

    def _later(self, work: Coroutine[None, None, None]) -> None:
        if self._closed:
            work.close()
            return
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _started(self) -> None:
        # Ctrl-C goes to all processes of a group: the server ends these itself.
        apart: dict[str, Any] = {} if sys.platform == "win32" else {"process_group": 0}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "leaktight.web.worker", stdin=PIPE, stdout=PIPE,
            limit=LONGEST_LINE, **apart,
        )  # fmt: skip
        self._alive.add(process)
        assert process.stdout is not None
        await process.stdout.readline()
        self._idle.put_nowait(process)
        await process.wait()
        self._alive.discard(process)


def _wrong(what: str) -> bytes:
    return msgspec.json.encode({"wrong": what}) + b"\n"
