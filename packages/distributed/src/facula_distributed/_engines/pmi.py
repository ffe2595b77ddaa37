"""The server at which processes of an MPI program find each other, so that no `mpiexec` has to start them.

MPI libraries of the MPICH family connect to PMI_PORT when they start. They speak the first version of the Process
Management Interface: lines such as "cmd=put kvsname=... key=... value=...", to exchange their addresses.
"""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress
from itertools import groupby
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LIMITS = "kvsname_max=256 keylen_max=64 vallen_max=4096"


class Server:
    """Serves the processes of one program in threads, until each has ended.

    Arguments:
        host: the address to listen at.
        nodes: the number of each process's machine.
    """

    def __init__(self, host: str, nodes: Sequence[int]) -> None:
        self._size = len(nodes)
        runs = [(node, len(list(ranks))) for node, ranks in groupby(nodes)]
        mapping = ",".join(f"({node},1,{count})" for node, count in runs)
        self._values = {"PMI_process_mapping": f"(vector,{mapping})"}
        self._name = f"facula-{secrets.token_hex(16)}"  # of files in shared memory, too
        self._arrived: list[Callable[[str], object]] = []
        self._changing = Lock()
        self._listener = socket.create_server((host, 0), backlog=self._size)
        self.port = int(self._listener.getsockname()[1])
        Thread(target=self._accept, daemon=True, name="facula: start of MPI").start()

    def close(self) -> None:
        """Accept no more processes."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError), self._listener:
            for _ in range(self._size):
                connection, _address = self._listener.accept()
                Thread(target=self._serve, args=(connection,), daemon=True, name="facula: start of MPI").start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError, KeyError, ValueError), connection, connection.makefile("rwb", buffering=0) as file:

            def answer(text: str) -> None:
                file.write(f"cmd={text}\n".encode())

            while line := file.readline():
                text = line.decode().strip()
                words: dict[str, Any] = dict(word.split("=", 1) for word in text.split(" ") if "=" in word)
                self._answer(words, text, answer)

    def _answer(self, words: dict[str, str], line: str, answer: Callable[[str], object]) -> None:
        command = words["cmd"]
        if command == "initack":
            answer("initack rc=0")
            for name, number in (("size", self._size), ("rank", int(words["pmiid"])), ("debug", 0)):
                answer(f"set {name}={number}")
        elif command == "put":
            self._values[words["key"]] = line.split("value=", 1)[1]
            answer("put_result rc=0")
        elif command == "get":
            value = self._values.get(words["key"])
            answer(f"get_result rc=0 value={value}" if value is not None else "get_result rc=-1 msg=key_not_found")
        elif command == "barrier_in":
            with self._changing:
                self._arrived.append(answer)
                if len(self._arrived) < self._size:
                    return
                for one in self._arrived:
                    with suppress(OSError):
                        one("barrier_out rc=0")
                self._arrived.clear()
        else:
            answer({
                "init": "response_to_init pmi_version=1 pmi_subversion=1 rc=0",
                "get_maxes": f"maxes rc=0 {_LIMITS}",
                "get_appnum": "appnum rc=0 appnum=0",
                "get_my_kvsname": f"my_kvsname rc=0 kvsname={self._name}",
                "get_universe_size": f"universe_size rc=0 size={self._size}",
                "finalize": "finalize_ack rc=0",
            }[command])  # fmt: skip
