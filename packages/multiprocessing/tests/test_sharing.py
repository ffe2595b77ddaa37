"""Arrays received by other processes."""

import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sharing_helpers import LARGE, answer, eventually, figures, grown, leave, taken

import facula_multiprocessing as mp
from facula_errors import FaculaError
from facula_errors.testing import raises
from facula_multiprocessing._transfer import handles as _handles
from facula_multiprocessing._transfer import reductions as _reductions
from facula_multiprocessing._transfer import sharing as _sharing
from facula_multiprocessing._transfer.reductions import block_under, encode


@pytest.mark.parametrize("kind", ["Queue", "SimpleQueue", "JoinableQueue"])
def test_arrays_make_a_round_trip(context, kind):
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
    native = array.dtype.newbyteorder("=")  # NumPy's pickles contain such memory if strides are 0
    assert got.shape == array.shape and got.dtype in (array.dtype, native)
    assert got.astype(native).tobytes() == array.astype(native).tobytes()


def test_plain_multiprocessing_is_unaffected():
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
    with raises(RuntimeError, "receiving shared memory", "received before"):
        pickle.loads(data)


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


def test_many_rounds_do_not_grow(fork):
    inbox, outbox = fork.Queue(), fork.Queue()
    process = fork.Process(target=answer, args=(inbox, outbox))
    process.start()

    def rounds(count):
        for number in range(count):
            inbox.put(np.full(5 * LARGE, float(number)))
            got, total = outbox.get()
            assert total == number * 5 * LARGE and got[3] == number

    rounds(30)
    before = figures(process)
    rounds(300)
    assert not grown(before, figures(process))
    inbox.put(None)
    process.join()


def test_memory_of_large_messages_is_returned(fork):
    """The sender is not notified when a receiver drops a block: it frees the memory at a later message."""
    inbox, outbox = fork.Queue(), fork.Queue()
    process = fork.Process(target=answer, args=(inbox, outbox))
    process.start()
    inbox.put(np.full(18 << 20, 3.0))
    arena = _sharing._current.own().ledger.arena
    assert arena.reserved >= 144 << 20
    outbox.get()

    def small():
        inbox.put(np.ones(3))
        return outbox.get()[1] == 3 and arena.reserved < 80 << 20

    assert eventually(small)
    assert os.fstat(arena.fd).st_blocks * 512 < 90 << 20
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


def test_threads_send_and_receive_concurrently():
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


def test_without_shared_memory_arrays_are_copied(monkeypatch):
    def none(nbytes):
        raise mp.SharedMemoryError("512 bytes left", nbytes)

    monkeypatch.setattr(_reductions, "new_block", none)
    monkeypatch.setattr(_reductions, "_warned", False)
    with pytest.warns(UserWarning, match=r"no shared memory is left.*\(512 bytes left\); let receivers") as caught:
        messages = [encode(np.arange(LARGE)) for _ in range(3)]
    assert len(caught) == 1 and caught[0].filename == __file__
    for message in messages:
        got = pickle.loads(message)
        assert got[-1] == LARGE - 1 and block_under(got) is None


def test_without_proc_a_descriptor_is_sent(monkeypatch, context):
    monkeypatch.setattr(_handles, "_PROC", "/nowhere")
    monkeypatch.setattr(_sharing._current, "places", {})
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=answer, args=(inbox, outbox))
    process.start()
    inbox.put(np.ones(LARGE))
    got, total = outbox.get()
    assert total == LARGE and got[0] == 1
    inbox.put(None)
    process.join()


@pytest.mark.parametrize("shape", [-1, (3, -2)])
def test_invalid_shapes(shape):
    with raises(ValueError, "shared_empty", "expected lengths of at least 0"):
        mp.shared_empty(shape)
    with raises(ValueError, "shared_empty", "no objects"):
        mp.shared_empty(3, object)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((3, "foo"), "expected dtype to be one of NumPy's; got 'foo'"),
        (("a",), "expected shape to be an integer or a tuple of integers; got 'a'"),
        (((2, 3.5),), "expected shape to be an integer or a tuple of integers; got (2, 3.5)"),
        ((None,), "got None"),
    ],
)
def test_shapes_and_dtypes_of_the_wrong_kind(arguments, said):
    with raises(TypeError, "shared_empty", said) as caught:
        mp.shared_empty(*arguments)
    assert isinstance(caught.value, FaculaError)


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
