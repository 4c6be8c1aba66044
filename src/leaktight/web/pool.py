"""How is a question stopped that takes too long, or that nobody waits for any more?

By ending its process. A few processes stand ready; one that was ended is replaced at once.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import suppress
from types import TracebackType
from typing import Self

import msgspec

WORKERS = 2
"""How many questions are answered at once."""

SECONDS = 30.0
"""How long a question may take."""

LONGEST_LINE = 2**26
"""The most bytes of an answer."""


class Pool:
    """Processes that answer questions, for as long as the pool is entered."""

    def __init__(self, workers: int = WORKERS, seconds: float = SECONDS) -> None:
        self.workers, self.seconds = workers, seconds
        self._idle: asyncio.Queue[Process] = asyncio.Queue()
        self._alive: set[Process] = set()
        self._starting: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        for _ in range(self.workers):
            self._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, wrong: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        for starting in self._starting:
            starting.cancel()
        for process in self._alive:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def ask(self, task: str, body: bytes) -> AsyncIterator[bytes]:
        """Yield lines of JSON: how far it is, and last the answer or what is wrong.

        If it takes too long, or whoever asked stops listening, the process is ended.
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
                    done = not line.startswith(b'{"progress"')
                    yield line
            if not done:
                yield _wrong("it was stopped for want of memory")
        except TimeoutError:
            yield _wrong(
                f"this takes longer than {self.seconds:g} seconds, and was stopped; save the "
                'study: "leaktight audit study.toml" takes its time'
            )
        finally:
            if done:
                self._idle.put_nowait(process)
            else:
                with suppress(ProcessLookupError):
                    process.kill()
                self._start()

    def _start(self) -> None:
        starting = asyncio.create_task(self._started())
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)

    async def _started(self) -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "leaktight.web.worker", stdin=PIPE, stdout=PIPE,
            limit=LONGEST_LINE,
        )  # fmt: skip
        self._alive.add(process)
        assert process.stdout is not None
        await process.stdout.readline()
        self._idle.put_nowait(process)
        await process.wait()
        self._alive.discard(process)


def _wrong(what: str) -> bytes:
    return msgspec.json.encode({"wrong": what}) + b"\n"
