"""A process that has imported the library, and forks for each program that a test starts.

    test ── server ── (exits) ── launcher ── ranks

A program starts in milliseconds instead of the time that imports take. It differs from a new Python in what the kernel
keeps of an executable: `/proc/PID/environ` and `cmdline` are the server's. The launcher becomes a child of the test,
which is a subreaper, so that `Popen` can wait for it. The launcher in turn starts its ranks as forks.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_MODULES = ("facula_distributed", "facula")  # which have a launcher
_plain_popen = subprocess.Popen
_lock = threading.Lock()
_server: socket.socket | None = None
_own_fds: set[int] = set()  # of the server


class Program(subprocess.Popen[Any]):
    """A command line of the library, `["facula_distributed", "--nproc", "2", "train.py"]`, in a warm process.

    Arguments:
        command: a module that `python -m` runs, and its arguments.
        options: those of `subprocess.Popen`.
    """

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        super().__init__([sys.executable, "-m", *command], **options)

    def _execute_child(self, *arguments: Any) -> None:
        given = signature(_plain_popen._execute_child).bind(self, *arguments).arguments  # type: ignore[attr-defined]
        names = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        wanted = [given["p2cread"], given["c2pwrite"], given["errwrite"]]
        fds = [number if fd == -1 else fd for number, fd in enumerate(wanted)]
        try:
            environment = dict(os.environ if given["env"] is None else given["env"])
            self.pid = self._fork(given["args"][2:], str(given["cwd"] or "."), environment, fds, given["pass_fds"])
            self._child_created = True
        finally:
            self._close_pipe_fds(*(given[name] for name in names))  # type: ignore[attr-defined]

    def _fork(
        self, command: list[str], folder: str, environment: Mapping[str, str], fds: list[int], passed: Sequence[int]
    ) -> int:
        request = json.dumps([list(map(str, command)), os.path.abspath(folder), environment]).encode()
        with _lock:
            server = _start_server()
            socket.send_fds(server, [len(request).to_bytes(8, "big")], fds)
            server.sendall(request)
            return int.from_bytes(server.recv(8), "big")


class _Rank(Program):
    """A rank of a launcher that is itself warm: a fork of it."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        super().__init__(command[2:], **options)

    def _fork(
        self, command: list[str], folder: str, environment: Mapping[str, str], fds: list[int], passed: Sequence[int]
    ) -> int:
        pid = os.fork()
        if not pid:
            _become(command, folder, environment, fds, passed)
        return pid


def _start_server() -> socket.socket:
    global _server
    if _server is None:
        _server, theirs = socket.socketpair()
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
        with theirs:
            code = f"from {__name__} import serve; serve({theirs.fileno()})"
            process = _plain_popen([sys.executable, "-c", code], pass_fds=[theirs.fileno()])
        atexit.register(_end_server, _server, process)
    return _server


def _end_server(server: socket.socket, process: subprocess.Popen[Any]) -> None:
    server.close()
    process.kill()
    process.wait()


def serve(number: int) -> None:
    """Fork for each request, until the test ends.

    Arguments:
        number: the descriptor of a socket.
    """
    for name in _MODULES:
        try:
            import_module(f"{name}.__main__")
        except ModuleNotFoundError:
            continue
    connection = socket.socket(fileno=number)
    connection.set_inheritable(False)
    _own_fds.update(map(int, os.listdir("/proc/self/fd")))
    _own_fds.discard(number)
    while True:
        header, fds, *_ = socket.recv_fds(connection, 8, 3)
        if not header:
            return
        with connection.makefile("rb", buffering=0) as file:
            request = b""
            while len(request) < int.from_bytes(header, "big"):
                request += file.read(int.from_bytes(header, "big") - len(request)) or b""
        reading, writing = os.pipe()
        between = os.fork()
        if not between:  # it ends at once, so that the test becomes the parent of the next one
            pid = os.fork()
            if not pid:
                command, folder, environment = json.loads(request)
                _become(command, folder, environment, fds, ())
            os.write(writing, pid.to_bytes(8, "big"))
            os._exit(0)
        os.waitpid(between, 0)
        connection.sendall(os.read(reading, 8))
        for fd in (reading, writing, *fds):
            os.close(fd)


def _become(
    command: Sequence[str], folder: str, environment: Mapping[str, str], fds: Sequence[int], passed: Sequence[int]
) -> None:
    """Run a command line in this process, as a new Python does, and exit."""
    code = 1
    try:
        os.setsid()
        for number, fd in enumerate(fds):
            os.dup2(fd, number)
        for fd in set(map(int, os.listdir("/proc/self/fd"))) - {0, 1, 2, *passed, *_own_fds}:
            try:
                os.close(fd)
            except OSError:  # that of listdir
                pass
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        sys.stdin = open(0, closefd=False)
        sys.stdout = out = open(1, "w", closefd=False)
        sys.stderr = open(2, "w", 1, closefd=False)
        out.reconfigure(write_through="PYTHONUNBUFFERED" in environment)
        sys.path[0], sys.argv = folder, list(command)
        subprocess.Popen = _popen  # type: ignore[assignment, misc]
        import_module(f"{command[0]}.__main__").main()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
    finally:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code & 0xFF)


def _popen(command: Any, *arguments: Any, **options: Any) -> subprocess.Popen[Any]:
    if list(command[:2]) == [sys.executable, "-m"] and command[2] in _MODULES and not arguments:
        return _Rank(command, **options)
    return _plain_popen(command, *arguments, **options)
