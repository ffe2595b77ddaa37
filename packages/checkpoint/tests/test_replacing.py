"""Saves replace a file atomically: killed, out of space, interrupted, forbidden, concurrent."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from checkpoint_testing import parts

import facula_storage as st
from facula_checkpoint import _atomic, load_file, save_file
from facula_errors.testing import raises

SAVER = """
import os, sys, time
import numpy as np
import facula_storage as st
from facula_checkpoint import _atomic, save_file

def tensors(value, count=8, size=1000):
    return {f"t{i}": (*st.from_numpy(np.full(size, value, np.float32)), 0) for i in range(count)}

def stop(*arguments, **named):
    print("here", flush=True)
    time.sleep(600)

path = sys.argv[1]
"""


def program(body, *arguments):
    command = [sys.executable, "-c", SAVER + body, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def values(path):
    return {float(x) for tensor in load_file(path, lazy=False).values() for x in np.unique(st.to_numpy(*tensor))}


def names(path):
    return sorted(entry.name for entry in path.parent.iterdir())


def small(value):
    return {"t": parts(np.full(4, value, np.float32))}


@pytest.mark.parametrize(
    "moment",
    [
        "_atomic.os.write = stop",  # before any write
        "write = os.write\n_atomic.os.write = lambda *a: write(*a) if a[1][:1] != b'\\0' else stop()",  # in the data
        "_atomic.os.fsync = stop",  # all is written, but possibly not flushed
        "_atomic.os.replace = stop",  # before the rename
    ],
    ids=["empty", "header", "written", "synced"],
)
def test_a_killed_save_keeps_the_old_file_and_the_next_cleans_up(path, moment):
    save_file(small(1), path)
    saver = program(f"{moment}\nsave_file(tensors(0), path)", path)
    assert saver.stdout.readline() == "here\n", saver.communicate()[1]
    saver.send_signal(signal.SIGKILL)
    saver.communicate(timeout=600)
    assert values(path) == {1}
    assert len(names(path)) == 2
    save_file(small(2), path)
    assert values(path) == {2}
    assert names(path) == [path.name]


def test_a_save_killed_at_any_time_leaves_one_whole_version(path):
    rng = np.random.default_rng(0)
    for _ in range(4):
        save_file(small(0), path)
        saver = program(
            "for version in range(1, 10**6):\n    save_file(tensors(version), path)\n    print(version, flush=True)",
            path,
        )
        assert saver.stdout.readline() == "1\n", saver.communicate()[1]
        time.sleep(float(rng.uniform(0, 0.1)))
        saver.send_signal(signal.SIGKILL)
        said = saver.stdout.read().split()  # including the data that `readline` buffered, which `communicate` omits
        saver.communicate(timeout=600)
        (version,) = values(path)
        assert version in {float(said[-1] if said else 1) + more for more in (0, 1)}
    save_file(small(0), path)
    assert names(path) == [path.name]


@pytest.mark.parametrize("existing", [True, False])
def test_a_full_disk_keeps_the_old_file(path, existing):
    """A limit on file sizes interrupts a write, like a full disk."""
    if existing:
        save_file(small(1), path)
    before = names(path)
    saver = program(
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "try:\n    save_file(tensors(2), path)\n"
        "except OSError as error:\n    print(error.errno, error.filename == path, error.strerror)\n",
        path,
    )
    said, trouble = saver.communicate(timeout=600)
    kept = "the old file is as it was" if existing else "there was no file before, and there is none"
    assert (said, trouble) == (f"{errno.EFBIG} True save: File too large; {kept}; save elsewhere\n", "")
    assert names(path) == before
    if existing:
        assert values(path) == {1}


CALLS = ("write", "fsync", "replace", "fchmod")
FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("call", "error"), [*((call, FULL) for call in CALLS), *((call, KeyboardInterrupt()) for call in (*CALLS, "flock"))]
)
def test_any_failure_keeps_the_old_file(path, monkeypatch, call, error):
    save_file(small(1), path)

    def fail(*arguments, **named):
        raise error

    module = fcntl if call == "flock" else os
    with monkeypatch.context() as patch:
        patch.setattr(module, call, fail)
        with pytest.raises(type(error)) as caught:
            save_file(small(2), path)
    if isinstance(error, OSError):
        assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(path))
        assert "the old file is as it was; free space, or save elsewhere" in caught.value.strerror
    assert values(path) == {1}
    save_file(small(1), path)  # removes files that an interrupt before the first write may leave
    assert names(path) == [path.name]


def test_file_systems_without_locks_are_supported(path, monkeypatch):
    def fail(*arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    save_file(small(1), path)
    assert values(path) == {1}


def test_a_directory_that_cannot_be_synced_is_no_failure_unless_the_disk_is(path, monkeypatch):
    sync = os.fsync

    def failing_with(number):
        def fail(file):
            if stat.S_ISDIR(os.fstat(file).st_mode):
                raise OSError(number, os.strerror(number))
            sync(file)

        return fail

    monkeypatch.setattr(os, "fsync", failing_with(errno.EINVAL))
    save_file(small(1), path)
    monkeypatch.setattr(os, "fsync", failing_with(errno.EIO))
    with pytest.raises(OSError, match="Input/output"):
        save_file(small(2), path)


def test_the_file_is_synced_before_the_rename_and_the_directory_after(path, monkeypatch):
    done = []

    def noted(name, call):
        def run(*arguments, **named):
            kind = "directory" if name == "fsync" and stat.S_ISDIR(os.fstat(arguments[0]).st_mode) else ""
            done.append(f"{name} {kind}".strip())
            return call(*arguments, **named)

        return run

    for name in ("write", "fsync", "replace"):
        monkeypatch.setattr(os, name, noted(name, getattr(os, name)))
    save_file(small(1), path)
    assert done == ["write", "write", "fsync", "replace", "fsync directory"]


def test_short_writes_are_continued(path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:7]))
    save_file(small(3), path)
    assert values(path) == {3}


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o660])
def test_permissions_are_kept(path, mode):
    save_file(small(1), path)
    path.chmod(mode)
    save_file(small(2), path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("permitted", [True, False])
def test_the_owner_is_kept_if_permitted(path, monkeypatch, permitted):
    save_file(small(1), path)
    path.chmod(0o640)
    asked = []

    def change(file, user, group):
        asked.append((user, group))
        os.fchmod(file, 0)  # a change of owner may clear bits of the mode
        if not permitted:
            raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", change)
    save_file(small(2), path)
    assert asked == [(os.getuid(), os.getgid())]
    assert values(path) == {2}
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_private_file_is_never_readable_for_others_on_the_way(path, monkeypatch):
    save_file(small(1), path)
    path.chmod(0o600)
    seen = []
    write = os.write

    def look(file, data):
        seen.append(stat.S_IMODE(os.fstat(file).st_mode))
        return write(file, data)

    monkeypatch.setattr(os, "write", look)
    save_file(small(2), path)
    assert set(seen) == {0o600}


def test_a_new_file_follows_the_umask(path):
    before = os.umask(0o027)
    try:
        save_file(small(1), path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_symbolic_link_stays_and_its_target_is_replaced(path, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(path)
    save_file(small(1), link)  # also if the target does not exist yet
    save_file(small(2), link)
    assert link.is_symlink()
    assert values(path) == {2}


def test_only_regular_files_are_replaced(path, tmp_path):
    with raises(IsADirectoryError, "save", "this is a directory"):
        save_file(small(1), path.parent)
    os.mkfifo(tmp_path / "pipe")
    with raises(OSError, "save", "expected a regular file to replace"):
        save_file(small(1), tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    with raises(FileNotFoundError, "save", "there is no folder '", "nowhere'", "make it first") as caught:
        save_file(small(1), tmp_path / "nowhere" / "file")
    assert caught.value.filename == str(tmp_path / "nowhere" / "file")
    save_file(small(1), path)
    with raises(NotADirectoryError, "save", "Not a directory"):
        save_file(small(1), path / "file")
    with raises(OSError, "save", "File name too long"):
        save_file(small(1), tmp_path / ("x" * 300))


def test_long_names(tmp_path):
    for name in ("n" * 255, "ü" * 127):
        path = tmp_path / name
        save_file(small(1), path)
        save_file(small(2), os.fsencode(path))
        assert values(path) == {2}
    assert len(names(path)) == 2


def test_the_unfinished_file_of_a_running_save_is_kept(path):
    saver = program("_atomic.os.fsync = stop\nsave_file(tensors(5), path)", path)
    assert saver.stdout.readline() == "here\n"
    save_file(small(1), path)
    assert len(names(path)) == 2
    saver.kill()
    saver.communicate(timeout=600)
    save_file(small(1), path)
    assert names(path) == [path.name]


def test_files_with_similar_names_are_kept(path):
    mine = path.with_name(f".{path.name}.notes{_atomic._SUFFIX}")
    mine.write_text("mine")
    other = path.with_name(f".other.{'0' * 16}{_atomic._SUFFIX}")
    other.write_text("of another checkpoint")
    save_file(small(1), path)
    assert mine.exists()
    assert other.exists()
    mine.unlink()
    other.unlink()


def test_concurrent_saves_leave_one_complete_version(path):
    failures = []

    def work(value):
        try:
            for _ in range(15):
                save_file({f"t{i}": parts(np.full(2000, value, np.float32)) for i in range(4)}, path)
                assert len(values(path)) == 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert names(path) == [path.name]


def test_a_save_recreates_a_removed_temporary_file(path, monkeypatch):
    """Between creating and locking the file, another save may consider it abandoned."""
    lock, taken = fcntl.flock, []

    def late(file, how):
        if not taken:
            taken.append(os.readlink(f"/proc/self/fd/{file}"))
            Path(taken[0]).unlink()
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    save_file(small(1), path)
    assert taken
    assert values(path) == {1}


def test_a_process_that_has_mapped_the_old_file_keeps_it(path):
    save_file(small(1), path)
    mapped = load_file(path)["t"]
    save_file(small(2), path)
    assert st.to_numpy(*mapped).tolist() == [1] * 4
    assert values(path) == {2}
