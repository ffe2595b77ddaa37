"""Arrays that other processes receive, what holds their memory, and when it is given back."""

import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facula_multiprocessing as mp
from facula_multiprocessing import _sharing
from facula_multiprocessing._reductions import INLINE, block_under, encode

METHODS = multiprocessing.get_all_start_methods()
LARGE = INLINE // 8 + 1  # numbers of an array that goes through shared memory


@pytest.fixture(params=METHODS)
def context(request):
    return mp.get_context(request.param)


@pytest.fixture
def fork():
    return mp.get_context("fork")


def taken():
    """Bytes of this process's arena that somebody holds."""
    gc.collect()
    outgoing = _sharing._current.own()
    _sharing._current.forks.settle()
    outgoing.sweep()
    return outgoing.ledger.arena.taken


def eventually(condition, within=10.0):
    end = time.monotonic() + within
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def answer(inbox, outbox):
    """Send back each message with its sum, until None comes."""
    while (message := inbox.get()) is not None:
        outbox.put((message, float(message.sum())))


@pytest.mark.parametrize("kind", ["Queue", "SimpleQueue", "JoinableQueue"])
def test_arrays_go_there_and_back(context, kind):
    inbox, outbox = getattr(context, kind)(), getattr(context, kind)()
    before = taken()
    process = context.Process(target=answer, args=(inbox, outbox))
    process.start()
    arrays = [np.arange(LARGE), np.ones((70, 80), np.float32).T, np.zeros(3), np.arange(50_000)[::7], np.float64(2)]
    for array in arrays:
        inbox.put(array)
        got, total = outbox.get()
        np.testing.assert_array_equal(got, array)
        assert got.dtype == array.dtype and total == array.sum()
    inbox.put(None)
    process.join()
    del got
    assert process.exitcode == 0 and taken() == before


def add(array, end):
    array += 1
    end.send(array)
    end.recv()


def test_both_sides_see_each_others_changes(context):
    shared = mp.shared_empty((4, 5), "int32")
    shared[:] = 0
    ours, theirs = context.Pipe()
    process = context.Process(target=add, args=(shared[1:, ::2], theirs))
    process.start()
    view = ours.recv()
    assert shared[:, 0].tolist() == [0, 1, 1, 1] and shared[:, 1].tolist() == [0] * 4
    assert view.shape == (3, 3) and np.shares_memory(view, shared)
    ours.send(None)
    process.join()


def test_an_array_that_is_not_shared_is_copied_once():
    array = np.arange(LARGE)
    got = pickle.loads(encode(array))
    got[:] = 0
    assert array[-1] == LARGE - 1 and block_under(got) is not None
    again = pickle.loads(encode(got))
    assert np.shares_memory(again, got)


@given(
    st.sampled_from(["u1", ">f8", "c16", "?", "M8[s]", "U3", "V5", "i4,f8"]),
    st.sampled_from([(0,), (), (3000,), (60, 50), (50, 2, 31)]),
    st.sampled_from(["plain", "transposed", "strided", "backwards", "read-only", "broadcast"]),
    st.booleans(),
)
def test_every_array_arrives_as_it_was(dtype, shape, kind, shared):
    array = mp.shared_empty(shape, dtype) if shared else np.empty(shape, dtype)
    array[...] = np.zeros(shape, dtype)
    flat = array.view("u1") if array.dtype.kind == "V" and array.ndim and array.size else None
    if flat is not None and array.dtype.names is None:
        flat[...] = 7
    if kind == "transposed":
        array = array.T
    elif kind == "strided" and array.ndim:
        array = array[::3]
    elif kind == "backwards" and array.ndim:
        array = array[::-1]
    elif kind == "broadcast":
        array = np.broadcast_to(array, (2, *array.shape))
    elif kind == "read-only":
        array.flags.writeable = False
    got = pickle.loads(encode([array]))[0]
    assert (got.shape, got.dtype) == (array.shape, array.dtype) and got.tobytes() == array.tobytes()


def test_plain_multiprocessing_goes_on_as_it_was():
    array = mp.shared_empty(LARGE)
    for dumps in (pickle.dumps, multiprocessing.reduction.ForkingPickler.dumps):
        assert len(dumps(array)) > array.nbytes
    assert not isinstance(multiprocessing.Queue(), type(mp.Queue()))


def test_a_message_that_fails_holds_nothing():
    before = taken()
    for _ in range(5):
        with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):
            mp.Queue().put([np.zeros(LARGE), lambda: 0])
    assert taken() == before


def test_a_full_queue_holds_nothing(fork):
    import queue

    before, full = taken(), fork.Queue(1)
    full.put(1)
    for _ in range(5):
        with pytest.raises(queue.Full):
            full.put(np.zeros(LARGE), block=False)
    full.get()
    assert taken() == before


def test_a_message_is_received_once():
    data = encode(np.zeros(LARGE))
    pickle.loads(data)
    with pytest.raises(RuntimeError, match="received before"):
        pickle.loads(data)


def hold(inbox, ready):
    held = inbox.get()
    ready.put(len(held))
    signal.pause()


def test_a_killed_holder_gives_back_what_it_held(context):
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


def test_receivers_that_are_killed_at_any_moment_leave_nothing(fork):
    """What is lost at most is what was under way when the process died: a message in each direction."""
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


def test_an_idle_holder_gives_back_at_once(context):
    """The last view counts, and nobody has to send or ask for anything."""
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


def test_what_is_passed_on_stays_until_the_last_has_let_go(context):
    """A middle process sends on what it received, and ends: the memory is still the first one's."""
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


def test_a_third_process_gets_what_was_passed_on(fork):
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


def leave(outbox, wait):
    outbox.put(np.zeros(LARGE))
    if wait:
        wait.get()


def test_a_sender_that_has_ended_is_named(context):
    outbox = context.Queue()
    process = context.Process(target=leave, args=(outbox, None))
    process.start()
    process.join()
    with pytest.raises(RuntimeError, match=rf"process {process.pid}, which sent it, has ended; let it live"):
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


def test_what_is_alive_at_a_fork_is_held_by_both():
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


def test_what_was_alive_at_a_fork_is_free_after_the_child(fork):
    """Dropped before the child ends, and after; seen by one child or by two; a child that forks goes on holding."""
    before = taken()
    ends = [os.pipe() for _ in range(2)]
    array, kept = mp.shared_empty(LARGE), mp.shared_empty(LARGE)
    pids = []
    for read, _ in ends:
        pid = os.fork()
        if not pid:
            if read == ends[1][0] and os.fork():
                os._exit(0)  # its child has what it had
            os.read(read, 1)
            os._exit(0)
        pids.append(pid)
    del array
    os.waitpid(pids[1], 0)
    os.write(ends[0][1], b"x")
    os.waitpid(pids[0], 0)
    _sharing._current.forks.settle()
    held = taken()
    assert held > before + LARGE * 8
    os.write(ends[1][1], b"x")
    assert eventually(lambda: _sharing._current.forks.settle() or taken() < held)
    assert taken() > before
    del kept
    _sharing._current.forks.settle()
    assert taken() == before and not _sharing._current.forks._forks
    for end in ends:
        os.close(end[0])
        os.close(end[1])


def test_forks_with_shared_memory_leave_nothing():
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
            before = _sharing._current.own().ledger.arena.reserved, len(os.listdir("/proc/self/fd"))
    assert (_sharing._current.own().ledger.arena.reserved, len(os.listdir("/proc/self/fd"))) == before


def drop_and_send(array, outbox):
    del array
    gc.collect()
    outbox.put(np.full(LARGE, 6))


def test_a_forked_child_that_drops_what_it_inherited_releases_nothing(fork):
    outbox = fork.Queue()
    got = pickle.loads(encode(np.full(LARGE, 5.0)))
    process = fork.Process(target=drop_and_send, args=(got, outbox))
    process.start()
    assert (outbox.get() == 6).all()
    process.join()
    other = mp.shared_empty(LARGE)
    other[:] = 1
    assert (got == 5).all()


def test_a_list_of_ten_thousand_in_one_message(fork):
    inbox, outbox = fork.Queue(), fork.Queue()
    process = fork.Process(target=count_of, args=(inbox, outbox))
    process.start()
    before = len(os.listdir("/proc/self/fd"))
    inbox.put([np.full(LARGE, number) for number in range(10_000)])
    count, last, descriptors = outbox.get()
    assert (count, last) == (10_000, 9_999)
    assert descriptors < 60 and len(os.listdir("/proc/self/fd")) <= before + 5
    process.join()
    assert eventually(lambda: taken() < 1 << 20)


def count_of(inbox, outbox):
    message = inbox.get()
    outbox.put((len(message), int(message[-1][-1]), len(os.listdir("/proc/self/fd"))))


def test_many_rounds_take_no_more(fork):
    inbox, outbox = fork.Queue(), fork.Queue()
    process = fork.Process(target=answer, args=(inbox, outbox))
    process.start()

    def rounds(count):
        for number in range(count):
            inbox.put(np.full(5 * LARGE, float(number)))
            got, total = outbox.get()
            assert total == number * 5 * LARGE and got[3] == number

    rounds(30)
    arena = _sharing._current.own().ledger.arena
    before = arena.reserved, len(os.listdir("/proc/self/fd")), len(os.listdir(f"/proc/{process.pid}/fd"))
    rounds(300)
    assert (arena.reserved, len(os.listdir("/proc/self/fd")), len(os.listdir(f"/proc/{process.pid}/fd"))) == before
    inbox.put(None)
    process.join()


def test_arenas_of_senders_that_have_ended_are_forgotten(fork):
    before = None
    for number in range(8):
        outbox, wait = fork.Queue(), fork.Queue()
        process = fork.Process(target=leave, args=(outbox, wait))
        process.start()
        assert outbox.get().sum() == 0
        wait.put(None)
        process.join()
        outbox.close()
        wait.close()
        gc.collect()
        if number == 2:
            before = len(os.listdir("/proc/self/fd")), len(_sharing._current.ledgers)
    after = len(os.listdir("/proc/self/fd")), len(_sharing._current.ledgers)
    assert after[0] <= before[0] + 2 and after[1] <= before[1]


def test_threads_send_and_receive_side_by_side():
    def work(number):
        for turn in range(100):
            got = pickle.loads(encode([np.full(LARGE, number * 1000 + turn), mp.shared_empty(number + 1)]))
            if not (got[0] == number * 1000 + turn).all():
                wrong.append(number)

    before, wrong = taken(), []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and taken() == before


def test_memory_that_nobody_has_left_goes_as_a_copy(monkeypatch):
    def none(nbytes):
        raise mp.SharedMemoryError("none", nbytes)

    monkeypatch.setattr("facula_multiprocessing._reductions.new_block", none)
    got = pickle.loads(encode(np.arange(LARGE)))
    assert got[-1] == LARGE - 1 and block_under(got) is None


def test_without_proc_a_descriptor_is_sent(monkeypatch, context):
    monkeypatch.setattr(_sharing, "_PROC", "/nowhere")
    monkeypatch.setattr(_sharing._current, "sources", {})
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=answer, args=(inbox, outbox))
    process.start()
    inbox.put(np.ones(LARGE))
    got, total = outbox.get()
    assert total == LARGE and got[0] == 1
    inbox.put(None)
    process.join()


@pytest.mark.parametrize("shape", [-1, (3, -2)])
def test_shapes_that_cannot_be(shape):
    with pytest.raises(ValueError, match="shared_empty: expected lengths of at least 0"):
        mp.shared_empty(shape)
    with pytest.raises(ValueError, match="no objects"):
        mp.shared_empty(3, object)


def double(array):
    return array * 2


def test_pools(context):
    with context.Pool(2) as pool:
        results = pool.map(double, [np.full(LARGE, number) for number in range(6)])
        assert [int(result[0]) for result in results] == [0, 2, 4, 6, 8, 10]
        assert all(block_under(result) is not None for result in results)


def test_the_import_is_light():
    code = (
        "import sys, facula_multiprocessing; print({'asyncio', 'concurrent.futures', 'ctypes.util'} & set(sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "set()\n"
