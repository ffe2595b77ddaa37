"""Holders of sent memory, and its release: killed holders, forks, senders that have ended."""

import gc
import os
import pickle
import threading
import time

import numpy as np
from sharing_helpers import LARGE, answer, eventually, figures, grown, hold, leave, taken

import facula_multiprocessing as mp
from facula_errors.testing import raises
from facula_multiprocessing._transfer import blocks as _blocks
from facula_multiprocessing._transfer.reductions import encode


def test_blocks_of_a_killed_holder_are_freed(context):
    before = taken()
    inbox, ready = context.Queue(), context.Queue()
    process = context.Process(target=hold, args=(inbox, ready))
    process.start()
    inbox.put([np.zeros(LARGE) for _ in range(5)])
    assert ready.get() == 5
    assert taken() > before
    process.kill()
    process.join()
    assert taken() == before


def churn(end, seed):
    draws, held = np.random.default_rng(seed), []
    while True:
        held.append(end.recv())
        if len(held) > 3:
            del held[draws.integers(len(held))]
        end.send(held[-1][:10])


def test_receivers_killed_at_any_moment_do_not_leak(fork):
    """At most the messages in flight when the process died are lost: one in each direction."""
    for seed in range(12):
        before = taken()
        ours, theirs = fork.Pipe()
        process = fork.Process(target=churn, args=(theirs, seed))
        process.start()
        theirs.close()
        end = time.monotonic() + 0.02 * seed
        killer = threading.Timer(0.02 * seed, process.kill)
        killer.start()
        try:
            while time.monotonic() < end + 5:
                ours.send(np.full(LARGE, 3.0))
                assert (ours.recv() == 3).all()
        except (EOFError, OSError):
            pass
        process.join()
        killer.join()
        ours.close()
        assert not process.is_alive()
        assert taken() <= before + 2 * 8 * LARGE


def hold_a_while(inbox, ready, go_on):
    held = inbox.get()
    ready.put(held[0])
    held = held[10:20]
    go_on.get()
    del held
    ready.put("gone")
    go_on.get()


def test_an_idle_holder_frees_blocks_at_once(context):
    """The end of the last view frees the block, without any message."""
    before = taken()
    inbox, ready, go_on = context.Queue(), context.Queue(), context.Queue()
    process = context.Process(target=hold_a_while, args=(inbox, ready, go_on))
    process.start()
    inbox.put(np.arange(LARGE))
    assert ready.get() == 0
    assert taken() > before
    go_on.put(None)
    assert ready.get() == "gone"
    assert taken() == before
    go_on.put(None)
    process.join()


def pass_on(inbox, outbox):
    outbox.put(inbox.get())


def test_a_block_that_is_passed_on_stays_until_its_last_holder_drops_it(context):
    """A middle process sends on a received block, and ends: the memory still belongs to the first process."""
    before = taken()
    first, second = context.Queue(), context.Queue()
    process = context.Process(target=pass_on, args=(first, second))
    process.start()
    array = mp.shared_empty(LARGE)
    array[:] = 3
    address = array.ctypes.data
    first.put(array)
    del array
    process.join()
    got = second.get()
    assert got.ctypes.data == address and (got == 3).all()
    assert taken() > before
    del got
    assert taken() == before


def test_a_third_process_receives_a_block_that_is_passed_on(fork):
    before = taken()
    first, second, back = fork.Queue(), fork.Queue(), fork.Queue()
    middle = fork.Process(target=pass_on, args=(first, second))
    last = fork.Process(target=answer, args=(second, back))
    middle.start()
    last.start()
    array = mp.shared_empty(LARGE)
    array[:] = 2
    first.put(array)
    got, total = back.get()
    assert total == 2 * LARGE and np.shares_memory(got, array)
    second.put(None)
    middle.join()
    last.join()
    del got, array
    assert taken() == before


def test_a_sender_that_was_killed_is_named(context):
    outbox, wait = context.Queue(), context.Queue()
    process = context.Process(target=leave, args=(outbox, wait))
    process.start()
    assert eventually(lambda: not outbox.empty())
    process.kill()
    process.join()
    with raises(
        RuntimeError, "receiving shared memory", f"process {process.pid}, which sent it, has ended", "keep it running"
    ):
        outbox.get()


def test_arrays_outlive_their_sender(context):
    outbox, wait = context.Queue(), context.Queue()
    process = context.Process(target=leave, args=(outbox, wait))
    process.start()
    got = outbox.get()
    process.kill()
    process.join()
    assert (got == 0).all()
    got[:] = 1


def test_blocks_alive_at_a_fork_are_held_by_both():
    array = mp.shared_empty(LARGE)
    array[:] = 4
    address = array.ctypes.data
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.read(read, 1)
        os._exit(0 if (array == 4).all() else 1)
    del array
    other = [mp.shared_empty(LARGE) for _ in range(3)]
    for one in other:
        one[:] = 5
    assert address not in [one.ctypes.data for one in other]
    os.write(write, b"x")
    assert os.waitpid(pid, 0)[1] == 0
    os.close(read)
    os.close(write)


def test_blocks_alive_at_a_fork_are_freed_after_the_child(fork):
    """Dropped before the child ends, and after; inherited by one child or two, or by a grandchild."""
    before = taken()
    ends = [os.pipe() for _ in range(2)]
    array, kept = mp.shared_empty(LARGE), mp.shared_empty(LARGE)
    pids = []
    for read, _ in ends:
        pid = os.fork()
        if not pid:
            if read == ends[1][0] and os.fork():
                os._exit(0)  # its child holds the same blocks
            os.read(read, 1)
            os._exit(0)
        pids.append(pid)
    del array
    os.waitpid(pids[1], 0)
    os.write(ends[0][1], b"x")
    os.waitpid(pids[0], 0)
    _blocks.settle()
    held = taken()
    assert held > before + LARGE * 8
    os.write(ends[1][1], b"x")
    assert eventually(lambda: _blocks.settle() or taken() < held)
    assert taken() > before
    del kept
    _blocks.settle()
    assert taken() == before and not _blocks._forks._forks
    for end in ends:
        os.close(end[0])
        os.close(end[1])


def test_forks_with_shared_memory_do_not_leak():
    before = None
    for turn in range(40):
        array = mp.shared_empty(5 * LARGE)
        array[:] = turn
        pid = os.fork()
        if not pid:
            os._exit(0 if array[-1] == turn else 1)
        del array
        assert os.waitpid(pid, 0)[1] == 0
        if turn == 5:
            before = figures()
    assert not grown(before, figures())


def drop_and_send(array, outbox):
    del array
    gc.collect()
    outbox.put(np.full(LARGE, 6))


def test_a_forked_child_does_not_release_inherited_blocks(fork):
    outbox = fork.Queue()
    got = pickle.loads(encode(np.full(LARGE, 5.0)))
    process = fork.Process(target=drop_and_send, args=(got, outbox))
    process.start()
    assert (outbox.get() == 6).all()
    process.join()
    other = mp.shared_empty(LARGE)
    other[:] = 1
    assert (got == 5).all()
