"""Start methods, and resources that pools leave."""

import gc
import os
import subprocess
import sys

import pytest

import facula_multiprocessing as mp
from facula_errors.testing import raises

UNGUARDED = """
import facula_multiprocessing as mp
mp.set_start_method("spawn")
process = mp.Process(target=print)
process.start()
process.join()
"""


def run(program, tmp_path, *arguments):
    path = tmp_path / "program.py"
    path.write_text(program)
    return subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True, timeout=600)


def test_setting_a_start_method_without_a_guard_gets_a_hint(tmp_path):
    done = run(UNGUARDED, tmp_path)
    assert "set_start_method: this program sets the start method while a process imports it; " in done.stderr
    assert "`if __name__ == '__main__':`" in done.stderr


def test_a_start_method_is_set_once():
    mp.get_context("fork").Lock()
    mp.Queue()
    with raises(RuntimeError, "set_start_method", "it is '", "' already", "or pass force=True"):
        mp.set_start_method(mp.get_start_method())


def double(x):
    return 2 * x


@pytest.mark.parametrize("count", [0, 1, 8, 9, 33])
def test_maps_continue_while_all_workers_are_being_replaced(fork, count):
    with fork.Pool(2) as pool:
        workers, pool._pool = pool._pool, []  # a temporary state
        results = pool.map_async(double, iter(range(count)))
        pool._pool = workers
        assert results.get(600) == [2 * index for index in range(count)]


def test_pools_close_their_descriptors(fork):
    left = []
    for _ in range(3):
        with fork.Pool(2) as pool:
            pool.map(double, range(9))
        pool.join()
        del pool
        gc.collect()
        left.append(len(os.listdir("/proc/self/fd")))
    assert left[-1] <= left[0]
