"""Messages of processes that have ended: received later, by the parent and by others, without leaks."""

import gc
import os
import signal
from multiprocessing import resource_tracker

import numpy as np
import pytest
from sharing_helpers import LARGE, answer, eventually

import facula_multiprocessing as mp
from facula_errors.testing import raises
from facula_multiprocessing._transfer import kept_files as _keeping
from facula_multiprocessing._transfer import sharing as _sharing


def put(index, queue, length=LARGE):
    queue.put((index, np.full(length, index)))


def descriptors():
    gc.collect()  # allocated by earlier tests
    return len(os.listdir("/proc/self/fd"))


def run_to_the_end(context, queue, count):
    processes = [context.Process(target=put, args=(index, queue)) for index in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("fork", "SimpleQueue"),
        ("fork", "JoinableQueue"),
        ("fork", "Queue"),
        ("spawn", "Queue"),
        ("forkserver", "Queue"),
    ],
)
def test_messages_are_received_after_the_senders_end(method, kind):
    """Repeated, so that the second run reveals what the first one left open."""
    context = mp.get_context(method)
    queue, left = getattr(context, kind)(), []
    for _ in range(2):
        run_to_the_end(context, queue, 3)
        found = dict(queue.get() for _ in range(3))
        assert sorted(found) == [0, 1, 2] and all((array == index).all() for index, array in found.items())
        assert not (_keeping.kept_files()._living or _keeping.kept_files()._ended)
        del found
        run_to_the_end(context, queue, 1)  # no block is held: the arenas of the first messages are dropped
        queue.get()
        left.append(descriptors())
    assert left[1] <= left[0]


def test_the_commonest_program(fork):
    queue = fork.Queue()
    processes = [fork.Process(target=put, args=(index, queue, 10_000)) for index in range(4)]
    for process in processes:
        process.start()
    for _ in processes:
        index, array = queue.get()
        assert (array == index).all()
    for process in processes:
        process.join()


def test_a_third_process_receives_it(fork):
    inbox, outbox = fork.Queue(), fork.Queue()
    run_to_the_end(fork, inbox, 1)
    last = fork.Process(target=receive_pair, args=(inbox, outbox))
    last.start()
    assert outbox.get() == 0
    last.join()
    _sharing.settle_children()
    assert not _keeping.kept_files()._ended


def receive_pair(inbox, outbox):
    outbox.put(float(inbox.get()[1].sum()))


def test_a_block_held_by_a_third_process_can_be_passed_on(fork):
    """The memory stays as long as a process could send it on, and is then freed."""
    inbox, outbox = fork.Queue(), fork.Queue()
    last = fork.Process(target=answer, args=(inbox, outbox))
    last.start()
    first = fork.Process(target=put_plain, args=(inbox,))
    first.start()
    first.join()
    got, total = outbox.get()
    assert total == LARGE and (got == 1).all()
    inbox.put(None)
    last.join()
    assert eventually(lambda: _sharing.settle_children() or not _keeping.kept_files()._ended)
    assert (got == 1).all()


def put_plain(queue):
    queue.put(np.ones(LARGE))


def test_results_of_pools_whose_workers_end(fork):
    with fork.Pool(2, maxtasksperchild=1) as pool:
        results = pool.starmap(np.full, [(LARGE, index) for index in range(8)], chunksize=1)
    assert all((array == index).all() for index, array in enumerate(results))


def put_and_wait(queue):
    queue.put(np.ones(LARGE))
    signal.pause()


def test_messages_of_a_killed_process_are_abandoned(fork):
    queue = fork.Queue()
    process = fork.Process(target=put_and_wait, args=(queue,))
    process.start()
    assert eventually(lambda: not queue.empty())
    process.kill()
    process.join()
    assert not (_keeping.kept_files()._living or _keeping.kept_files()._ended)
    with raises(RuntimeError, "receiving shared memory", "has ended"):
        queue.get()


def test_no_file_is_kept_for_a_process_that_cannot_start():
    context = mp.get_context("spawn")
    resource_tracker.ensure_running()  # started by the first such process, and still running
    before = descriptors()
    with pytest.raises((AttributeError, TypeError)):
        context.Process(target=lambda: 0).start()
    assert descriptors() == before and not _keeping.kept_files()._living


def test_a_process_can_send_without_a_file_kept_by_its_parent(fork, monkeypatch):
    monkeypatch.setattr(os, "memfd_create", fail)
    queue = fork.Queue()
    process = fork.Process(target=put_restored, args=(queue, monkeypatch))
    process.start()
    monkeypatch.undo()
    assert (queue.get() == 1).all()
    queue.close()
    os.kill(process.pid, signal.SIGTERM)
    process.join()


def fail(*arguments):
    raise OSError(24, "Too many open files")


def put_restored(queue, patched):
    patched.undo()
    put_and_wait(queue)


def put_from_both(queue):
    queue.put(np.full(LARGE, 1))
    pid = os.fork()
    queue.put(np.full(LARGE, 2 if pid else 3))
    if not pid:
        signal.pause()
    queue.put(pid)


def test_a_fork_within_a_process_has_its_own_arena(fork):
    queue = fork.SimpleQueue()
    process = fork.Process(target=put_from_both, args=(queue,))
    process.start()
    got = [queue.get() for _ in range(4)]
    pids = [one for one in got if isinstance(one, int)]
    arrays = [one for one in got if not isinstance(one, int)]
    process.join()
    os.kill(pids[0], signal.SIGKILL)
    assert sorted(int(one[0]) for one in arrays) == [1, 2, 3] and all((one == one[0]).all() for one in arrays)


def test_messages_that_are_never_received_do_not_use_up_descriptors(fork, monkeypatch):
    monkeypatch.setattr(_keeping.resource, "getrlimit", lambda kind: (8, 8))
    queue = fork.Queue()
    run_to_the_end(fork, queue, 20)
    assert len(_keeping.kept_files()._ended) == 16
    monkeypatch.undo()
    lost = 0
    for _ in range(20):
        try:
            queue.get()
        except RuntimeError:
            lost += 1
    assert lost == 4
