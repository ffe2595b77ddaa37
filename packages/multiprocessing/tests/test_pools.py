"""`Pool`: workers that end before their first task end what was asked of the pool."""

import gc
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from sharing_helpers import LARGE

import facula_multiprocessing as mp

UNGUARDED = """
import sys
import facula_multiprocessing as mp
def double(x):
    return 2 * x
with mp.get_context(sys.argv[1]).Pool(2) as pool:
    pool.map(double, range(5))
"""
METHOD_UNGUARDED = """
import facula_multiprocessing as mp
mp.set_start_method("spawn")
process = mp.Process(target=print)
process.start()
process.join()
"""


def run(program, tmp_path, *arguments):
    path = tmp_path / "program.py"
    path.write_text(program)
    return subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_pool_of_a_script_without_a_guard_ends(method, tmp_path):
    done = run(UNGUARDED, tmp_path, method)
    assert done.returncode == 1
    last = next(line for line in done.stderr.splitlines() if "OperationError: Pool: " in line)
    assert "workers ended before their first task" in last and "`if __name__ == '__main__':`" in last


def test_a_start_method_that_is_set_without_a_guard_is_told_so(tmp_path):
    done = run(METHOD_UNGUARDED, tmp_path)
    assert "set_start_method: this program sets the start method while a process imports it; " in done.stderr
    assert "`if __name__ == '__main__':`" in done.stderr


def test_a_start_method_is_set_once():
    mp.get_context("fork").Lock()
    mp.Queue()
    with pytest.raises(RuntimeError, match=r"set_start_method: it is '\w+' already, .* or pass force=True"):
        mp.set_start_method(mp.get_start_method())


def fail():
    raise KeyError("no data")


def double(x):
    return 2 * x


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # its thread ends
@pytest.mark.parametrize("how", ["map", "starmap", "apply", "imap", "imap_unordered", "map_async", "after"])
def test_an_initializer_that_fails_ends_the_pool(fork, how):
    pool = fork.Pool(2, fail)
    with pytest.raises(RuntimeError, match=r"Pool: \d workers ended before their first task"):
        if how in ("map", "starmap"):
            getattr(pool, how)(double, [(1,)] * 30, chunksize=1)
        elif how == "apply":
            pool.apply(double, (3,))
        elif how == "map_async":
            pool.map_async(double, range(30)).get(60)
        elif how == "after":
            time.sleep(1)
            pool.map(double, [1])
        else:
            list(getattr(pool, how)(double, range(30)))
    pool.close()
    pool.join()


def add(box):
    box[0] += 1


def test_workers_that_begin_are_replaced_for_ever(fork):
    """Whatever ends them after their first task, and as many as it takes."""
    box = mp.shared_empty(1, "int64")
    box[:] = 0
    with fork.Pool(1, add, (box,), maxtasksperchild=1) as pool:
        results = [pool.apply_async(os._exit, (3,)) for _ in range(6)]
        deadline = time.monotonic() + 30
        while box[0] < 7 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not any(one.ready() for one in results)
        assert (pool.apply(double, (np.ones(LARGE),)) == 2).all()
    assert box[0] >= 7


@pytest.mark.parametrize("count", [0, 1, 8, 9, 33])
def test_maps_go_on_while_all_workers_are_being_replaced(fork, count):
    with fork.Pool(2) as pool:
        workers, pool._pool = pool._pool, []  # as it is for a moment then
        results = pool.map_async(double, iter(range(count)))
        pool._pool = workers
        assert results.get(60) == [2 * index for index in range(count)]


def test_descriptors_of_pools_go_with_them(fork):
    left = []
    for _ in range(3):
        with fork.Pool(2) as pool:
            pool.map(double, range(9))
        pool.join()
        del pool
        gc.collect()
        left.append(len(os.listdir("/proc/self/fd")))
    assert left[-1] <= left[0]
