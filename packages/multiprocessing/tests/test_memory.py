"""Reservation of shared memory before use, and errors for lack of memory."""

import os
import pickle
import subprocess
import sys
from contextlib import suppress

import pytest

from facula_errors.testing import raises
from facula_multiprocessing import SharedMemoryError
from facula_multiprocessing._arenas import memory as _memory
from facula_multiprocessing.extend import Arena, capacity_for

LIMITED = """
import resource
from facula_multiprocessing import SharedMemoryError
from facula_multiprocessing.extend import Arena, capacity_for
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    {action}
except SharedMemoryError as error:
    print(error)
else:
    print("nothing raised")
"""


def said_under_limit(action):
    program = LIMITED.format(action=action)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_a_limit_on_files_is_an_error_that_names_it():
    said = said_under_limit("Arena(2 << 20)")
    assert "2 MiB asked for" in said and "1 MiB at most" in said and "ulimit -f" in said


def test_an_arena_is_no_larger_than_a_file_may_be():
    assert said_under_limit("Arena(capacity_for(0.25)).take(4096)") == "nothing raised\n"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A simulated /proc and /sys: `write(path, text)`, and the folder of the control groups."""
    monkeypatch.setattr(_memory, "_GROUPS", str(tmp_path / "cgroup"))
    monkeypatch.setattr(_memory, "_ROOT", str(tmp_path / "sys"))
    monkeypatch.setattr(_memory, "_MEMINFO", str(tmp_path / "meminfo"))
    monkeypatch.setattr(_memory, "_last", _memory._Last())

    def write(path, text):
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    return write


def test_headroom_under_the_second_version_of_control_groups(machine):
    machine("cgroup", "0::/a/b\n")
    machine("sys/a/b/memory.max", "max\n")
    machine("sys/a/b/memory.current", "100\n")
    machine("sys/a/memory.max", "1000\n")
    machine("sys/a/memory.current", "700\n")
    machine("sys/a/memory.stat", "anon 600\ninactive_file 50\n")
    assert _memory.headroom() == 350


def test_headroom_of_the_innermost_group(machine):
    machine("cgroup", "0::/a/b\n")
    for group, most in (("a", 10_000), ("a/b", 500)):
        machine(f"sys/{group}/memory.max", f"{most}\n")
        machine(f"sys/{group}/memory.current", "400\n")
    assert _memory.headroom() == 100


def test_headroom_within_a_container_whose_group_is_the_root(machine):
    machine("cgroup", "0::/\n")
    machine("sys/memory.max", "800\n")
    machine("sys/memory.current", "900\n")
    assert _memory.headroom() == 0


def test_headroom_under_the_first_version_of_control_groups(machine):
    machine("cgroup", "5:cpu:/x\n9:memory:/x\n")
    machine("sys/memory/x/memory.limit_in_bytes", "1000\n")
    machine("sys/memory/x/memory.usage_in_bytes", "600\n")
    machine("sys/memory/x/memory.stat", "cache 70\ninactive_file 20\ntotal_inactive_file 30\n")
    assert _memory.headroom() == 430


@pytest.mark.parametrize("text", [None, "", "0::/gone\n"])
def test_headroom_without_information_from_the_kernel(machine, text):
    if text is not None:
        machine("cgroup", text)
    assert _memory.headroom() is None
    assert capacity_for(0.25) == 64 << 20


def test_too_little_headroom_is_an_error_before_any_reservation(machine):
    machine("cgroup", "0::/\n")
    machine("sys/memory.max", f"{3 << 20}\n")
    machine("sys/memory.current", f"{1 << 20}\n")
    arena = Arena(64 << 20)
    with raises(SharedMemoryError, "shared memory", "4 MiB requested, 2 MiB left") as caught:
        arena.take(4 << 20)
    assert (caught.value.requested, caught.value.available) == (4 << 20, 2 << 20)
    assert isinstance(caught.value, MemoryError)
    assert (arena.reserved, arena.taken) == (0, 0)
    assert arena.take(1 << 20) == 0


def test_headroom_of_the_machine_where_the_groups_leave_more(machine):
    machine("meminfo", "MemTotal: 9 kB\nMemAvailable: 2 kB\n")
    machine("cgroup", "0::/a\n")
    machine("sys/a/memory.max", "9000\n")
    machine("sys/a/memory.current", "100\n")
    assert _memory.headroom() == 2048


def test_the_kernel_is_queried_again_if_little_is_left_or_after_some_time(machine, monkeypatch):
    machine("meminfo", "MemAvailable: 1000 kB\n")
    now = [5.0]
    monkeypatch.setattr(_memory, "monotonic", lambda: now[0])
    assert _memory.headroom() == 1000 << 10
    machine("meminfo", "MemAvailable: 500 kB\n")
    assert _memory.headroom(enough=1000 << 10) == 1000 << 10
    assert _memory.headroom(enough=1001 << 10) == 500 << 10
    machine("meminfo", "MemAvailable: 700 kB\n")
    now[0] += 0.2
    assert _memory.headroom(enough=1) == 700 << 10


def test_later_reservations_count(machine, monkeypatch):
    """Many small blocks at once must not exceed the memory that was available before the first."""
    monkeypatch.setattr(_memory, "monotonic", lambda: 5.0)
    machine("meminfo", f"MemAvailable: {20 << 10} kB\n")
    arena = Arena(64 << 20)
    for _ in range(3):
        arena.take(2 << 20)
    assert _memory._last.left == 14 << 20


def test_headroom_of_this_machine():
    assert _memory.headroom() > 0


def test_the_error_survives_pickling():
    error = pickle.loads(pickle.dumps(SharedMemoryError("too little", 5, 3)))
    assert (str(error), error.requested, error.available) == ("too little", 5, 3)


def test_no_descriptor_is_left():
    program = """
import os, resource
from facula_multiprocessing import SharedMemoryError
from facula_multiprocessing.extend import Arena
resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
held = []
try:
    while True:
        held.append(Arena(4096))
except SharedMemoryError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "ulimit -n" in said


def test_memory_has_no_name_and_is_freed_with_its_arena():
    def open_inodes():
        found = set()
        for number in os.listdir("/proc/self/fd"):
            with suppress(FileNotFoundError):  # the descriptor of the listing itself
                found.add(os.stat(f"/proc/self/fd/{number}").st_ino)
        return found

    arenas = [Arena(1 << 20) for _ in range(5)]
    for arena in arenas:
        arena.take(1000)
        assert os.fstat(arena.fd).st_nlink == 0 and os.readlink(f"/proc/self/fd/{arena.fd}").startswith("/memfd:")
    inodes = {os.fstat(arena.fd).st_ino for arena in arenas}
    assert inodes <= open_inodes()
    del arena, arenas
    assert not inodes & open_inodes()
