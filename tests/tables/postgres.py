"""A PostgreSQL server of its own for tests: in a folder of its own, on a socket, with passwords."""

import os
import pwd
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PROGRAMS = Path(os.environ.get("LEAKTIGHT_POSTGRES", "/usr/lib/postgresql/15/bin"))
"""Where initdb, pg_ctl and postgres are."""

PASSWORD = "not-to-be-printed"


@dataclass(frozen=True)
class Server:
    """A server that runs in a folder."""

    folder: Path

    def address(self, ledger: str, user: str = "owner", password: str = PASSWORD) -> str:
        return f"postgresql://{user}:{password}@/postgres?host={self.folder}#{ledger}"

    def start(self) -> None:
        self._run("pg_ctl", "start", "-w", "-l", f"{self.folder}/log", "-o", self._options)

    def crash(self) -> None:
        """Stop it as a power cut does: no transaction ends, and what is on the disk is all."""
        self._run("pg_ctl", "stop", "-w", "-m", "immediate")

    def make(self) -> None:
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self._run(
            "initdb", "-U", "owner", "-A", "scram-sha-256", "--pwfile", str(secret),
            "-E", "UTF8", "--locale=C", "--no-sync",
        )  # fmt: skip

    def sql(self, *commands: str) -> list[Any]:
        """Run commands as the owner of the database, past leaktight; return the last one's rows."""
        import psycopg

        address = self.address("x").partition("#")[0]
        with psycopg.connect(address, autocommit=True) as connection:
            for command in commands:
                found = connection.execute(command.encode())
            return found.fetchall() if found.description else []

    @property
    def _options(self) -> str:
        return f"-k {self.folder} -c listen_addresses='' -c max_connections=40"

    def _run(self, program: str, *words: str) -> None:
        owner: dict[str, Any] = {}
        if os.geteuid() == 0:  # the server refuses to run as root
            user = pwd.getpwnam("postgres")
            owner = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        subprocess.run(
            [PROGRAMS / program, "-D", f"{self.folder}/data", *words],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            cwd=self.folder,
            env={"PATH": os.defpath, "LC_ALL": "C"},
            **owner,
        )


@contextmanager
def running_server() -> Iterator[Server]:
    """Make a server, start it, and take it away at the end."""
    with TemporaryDirectory(prefix="pg") as folder:  # short: a socket's name has 107 letters
        path = Path(folder)
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(path, user.pw_uid, user.pw_gid)
        server = Server(path)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.crash()
