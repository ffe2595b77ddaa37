"""Forked children, interpreter exit, Ctrl-C, AddressSanitizer: each in a separate process."""

import os
import shutil
import subprocess
import sys
import textwrap
import threading
import warnings
from pathlib import Path

import pytest
from blocks import holds, take, write

from facula_allocator import HostAllocator


def run(code, **environment):
    """Run the code in a fresh interpreter, and return the completed process."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **environment},
        check=False,
    )


def in_child(body):
    """Fork, call `body` in the child, and return whether it finished without an error within ten minutes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of forks with threads, which this tests
        pid = os.fork()
    if not pid:
        status = 1
        try:
            import signal

            signal.alarm(600)  # a deadlock ends the child
            body()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(pid, 0)[1] == 0


def test_a_forked_child_continues(allocator):
    held = [(n, *allocator.refill(n)) for n in (100, 5000, 3 << 20)]
    for nbytes, address, _ in held:
        write(address, nbytes, 1)

    def child():
        for nbytes, address, release in held:
            assert holds(address, nbytes, 1)
            write(address, nbytes, 2)
            release()
        again = [take(allocator, nbytes) for nbytes, _, _ in held]
        assert [address for address, _ in again] == [address for _, address, _ in held]
        for _, release in again:
            release()
        assert allocator.trim() > 0 and allocator.statistics()["reserved_bytes"] == 0

    assert in_child(child)
    for nbytes, address, release in held:
        assert holds(address, nbytes, 1), "the parent's memory is its own"
        release()


def test_a_forked_child_trims_idle_memory():
    """Ordinary work in the child trims the idle memory left by the parent; the parent keeps its own."""
    allocator = HostAllocator(cache_limit=4 << 20)
    for _, release in [allocator.refill(n) for n in (16 << 20, 3 << 20, 3 << 20, 3 << 20, 5000)]:
        release()
    before = allocator.statistics()

    def child():
        address, release = take(allocator, 16 << 20)
        write(address, 16 << 20, 1)
        now = allocator.statistics()
        assert now["cached_bytes"] <= 4 << 20 and now["allocated_bytes"] == 16 << 20
        release()

    assert in_child(child)
    assert allocator.statistics() == before


def test_a_fork_with_busy_threads(allocator):
    """Other threads may be inside trim at the fork; the child's lists are consistent nevertheless."""
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            for _, release in [take(allocator, 64) for _ in range(300)]:
                release()
            allocator.trim()

    for _, release in [allocator.refill(9000) for _ in range(200)]:
        release()
    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()

    def child():
        for _ in range(3):
            blocks = [take(allocator, nbytes) for nbytes in (64, 9000, 2 << 20)]
            for _, release in blocks:
                release()
        rows = {row.block_bytes: row for row in allocator.size_classes()}
        allocator.trim()
        assert 10240 not in rows or rows[10240].allocated_blocks == 0
        allocator.refill(64)

    try:
        assert all([in_child(child) for _ in range(15)])
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("kind", ["pools", "malloc"])
def test_releases_work_at_interpreter_exit(kind):
    """Blocks in modules, in cycles and in the interpreter's own tables, released during interpreter exit."""
    done = run(
        """
        import builtins, gc, os, sys
        from facula_allocator import default_host_allocator

        allocator = default_host_allocator()

        class Owner:
            __slots__ = ("__del__", "cycle", "__weakref__")
            def __init__(self, nbytes):
                _, self.__del__ = allocator.refill(nbytes)
                self.cycle = self

        class Late:
            '''Dies when modules are being torn down: collects, releases and takes even then.'''
            def __init__(self):
                self.kept = allocator, gc.collect, [Owner(n) for n in (64, 5000, 3 << 20)], os.write
                self.take = allocator.take_for(64), IndexError
            def __del__(self):
                allocator, collect, owners, write = self.kept
                take, none_idle = self.take
                collect()
                owners.clear()
                collect()
                try:
                    take()[1]()
                except none_idle:
                    pass
                write(1, b"released\\n")

        builtins.late = Late()
        sys.late = Late()
        some = [Owner(n) for n in (64, 70_000, 2 << 20)]
        """,
        FACULA_ALLOCATOR=kind,
    )
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.count("released") == 2


def test_allocating_at_interpreter_exit():
    done = run(
        """
        import atexit, gc, os, sys
        from facula_allocator import HostAllocator

        allocator = HostAllocator()
        some = allocator.refill(64)

        class Late:
            def __init__(self):
                self.kept = allocator, os.write
            def __del__(self):
                allocator, write = self.kept
                release = allocator.refill(5 << 20)[1]
                release()
                allocator.trim()
                write(1, b"allocated\\n")

        atexit.register(Late().__del__)
        late = Late()
        sys.modules["facula_allocator._host.host_allocator"].late = Late()
        """
    )
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.count("allocated") >= 3


def test_a_finaliser_does_not_wait_for_stopped_threads():
    """The thread stopped at interpreter exit almost always holds the lock, since it is inside a listener."""
    done = run("""
        import os, sys, threading, time
        from facula_allocator import CachingAllocator
        from facula_allocator.drivers import HostDriver
        allocator = CachingAllocator(HostDriver())
        class Late:
            def __del__(self, allocate=allocator.allocate, write=os.write):
                allocate(5)
                write(2, b"late")  # the interpreter's own streams may have been flushed for the last time
        def work():
            while True:
                allocator.allocate(100)
        sys.kept = Late()
        allocator.add_listener(lambda event, sleep=time.sleep: sleep(0.001))
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.1)
    """)
    assert (done.returncode, done.stderr) == (0, "late")


def test_settings_come_from_the_environment():
    code = """
        from facula_allocator import default_host_allocator
        allocator = default_host_allocator()
        block = allocator.refill(100)
        print(allocator.limit, allocator.cache_limit, allocator.statistics()["allocated_bytes"])
        """
    limits = {"FACULA_HOST_LIMIT": "1GiB", "FACULA_HOST_CACHE_LIMIT": "5"}
    assert run(code, FACULA_ALLOCATOR="pools", **limits).stdout.split() == [str(1 << 30), "5", "128"]
    assert run(code, FACULA_ALLOCATOR="malloc").stdout.split()[2] == "100"
    for name in ("FACULA_HOST_LIMIT", "FACULA_HOST_CACHE_LIMIT", "FACULA_ALLOCATOR"):
        done = run(code, **{name: "some"})
        assert done.returncode == 1 and f"ValueError: {name}: expected" in done.stderr and "'some'" in done.stderr


def test_control_c_loses_no_memory():
    """After a hundred interrupts during trims and refills, it still counts and releases all memory."""
    done = run(
        """
        import signal
        from facula_allocator import HostAllocator

        allocator, interrupts = HostAllocator(), 0
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        while interrupts < 100:
            blocks = [allocator.refill(n) for n in (64, 500, 20_000) for _ in range(200)]
            for _, release in blocks:
                release()
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-5 + 1e-5 * (interrupts % 40))
                while True:
                    allocator.trim()
                    allocator.statistics()
            except KeyboardInterrupt:
                interrupts += 1
        allocator.trim()
        print(*allocator.statistics().values())
        """
    )
    assert done.stderr == ""
    assert done.stdout.split()[:4] == ["0", "0", "0", "0"]


def sanitizer():
    """Return the AddressSanitizer library of the C compiler on this machine, or None."""
    compiler = shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        return None
    found = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=False)
    path = Path(found.stdout.strip())
    return str(path.resolve()) if path.is_absolute() and path.exists() else None


@pytest.mark.skipif(sanitizer() is None, reason="needs gcc with AddressSanitizer")
@pytest.mark.parametrize(
    ("planted", "report"), [("overrun", "heap-buffer-overflow"), ("late", "heap-use-after-free"), ("", "")]
)
def test_address_sanitizer_detects_errors_without_pools(planted, report):
    done = run(
        """
        import ctypes, os
        from facula_allocator import default_host_allocator

        memset = ctypes.CDLL(None).memset
        memset.argtypes = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
        address, release = default_host_allocator().refill(1001)
        memset(address, 0, 1001 + (os.environ["PLANTED"] == "overrun"))
        release()
        if os.environ["PLANTED"] == "late":
            memset(address, 0, 8)
        print("survived")
        """,
        PLANTED=planted,
        FACULA_ALLOCATOR="malloc",
        LD_PRELOAD=sanitizer() or "",
        ASAN_OPTIONS="detect_leaks=0",
    )
    if report:
        assert done.returncode != 0 and report in done.stderr and "survived" not in done.stdout
    else:
        assert done.returncode == 0 and done.stdout == "survived\n"


def test_importing_is_light():
    done = run("import sys; before = set(sys.modules); import facula_allocator; print(*set(sys.modules) - before)")
    heavy = {"cffi", "numpy", "inspect", "dataclasses", "ctypes", "subprocess", "asyncio", "multiprocessing"}
    assert not heavy & set(done.stdout.split())
    assert {name for name in done.stdout.split() if name.startswith("facula")} == {
        name for name in done.stdout.split() if name.startswith(("facula_allocator", "facula_errors"))
    }


def test_nothing_happens_at_import():
    done = run("import gc; before = len(gc.callbacks); import facula_allocator as f; print(len(gc.callbacks) - before);"
               "f.HostAllocator(); f.HostAllocator(); print(len(gc.callbacks) - before)")  # fmt: skip
    assert done.stdout.split() == ["0", "1"]


def test_two_allocators_do_not_share_blocks():
    first, second = HostAllocator(), HostAllocator()
    first.refill(64)[1]()
    assert second.statistics()["reserved_bytes"] == 0
