"""The launcher: arguments, statuses, the GIL, and lifetimes."""

import ctypes
import gc
import pickle
import struct
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage_helpers import NEVER, Noting, Owner, Running

from facula_storage import LaunchError, bind, contiguous, float32, layout_of
from facula_storage.extend.plans import rebind, workspace_of

ALWAYS = 0
int64s = st.integers(-(2**63), 2**63 - 1)


def test_arguments_arrive(noting):
    note = noting(4)
    assert note.launch(7, 1, -(2**63), 2**63 - 1) is None
    assert [note.argument(i) for i in range(4)] == [7, 1, -(2**63), 2**63 - 1]
    assert note.count == 1


def test_numbers_with_an_index_are_accepted(noting):
    note = noting(3)
    note.launch(np.int64(3), True, np.uint8(200))
    assert [note.argument(i) for i in range(3)] == [3, 1, 200]


@given(
    st.integers(0, 2**24 - 1),
    st.lists(st.floats(), min_size=24, max_size=24),
    st.lists(int64s, min_size=24, max_size=24),
)
def test_the_mask_says_which_are_doubles(address_of, mask, floats, integers):
    note = Noting(address_of, 24, doubles=mask)  # a new object each time; only the address is the same
    given = [f if mask >> i & 1 else n for i, (f, n) in enumerate(zip(floats, integers, strict=True))]
    note.launch(*given)
    for i, value in enumerate(given):
        if mask >> i & 1:
            assert struct.pack("d", note.argument(i, "d")) == struct.pack("d", value) or value != value
        else:
            assert note.argument(i) == value


@pytest.mark.parametrize("count", [24, 25, 64, 65, 1000])
def test_any_number_of_arguments(address_of, count):
    note = Noting(address_of, count, doubles=1 << 23 | 1 << 63, told=count)
    note.launch(*[0.5 if i in (23, 63) else i for i in range(count)])
    assert [note.argument(i) for i in range(count) if i not in (23, 63)] == [
        i for i in range(count) if i not in (23, 63)
    ]
    assert note.argument(23, "d") == 0.5 and (count < 64 or note.argument(63, "d") == 0.5)


def test_many_arguments_of_which_one_is_wrong_launch_nothing(noting):
    note = noting(2, told=100)
    with pytest.raises(TypeError):
        note.launch(*range(99), "100")
    assert note.count == 0


def test_doubles_take_integers_too(noting):
    note = noting(3, doubles=0b110)
    note.launch(1, 3, np.float32(0.5))
    assert (note.argument(1, "d"), note.argument(2, "d")) == (3.0, 0.5)


@pytest.mark.parametrize("position", [0, 1, 2, 3])
@pytest.mark.parametrize("doubles", [0, 0b1000])
def test_an_address_of_none_raises_before_any_launch(noting, position, doubles):
    note = noting(4, doubles=doubles, release_at=ALWAYS)
    arguments = [4, 8, 16, 24]
    arguments[position] = None
    with pytest.raises(TypeError, match="NoneType"):
        note.launch(*arguments)
    assert note.count == 0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((1, 2.0), TypeError),
        ((1, "2"), TypeError),
        ((1, 2**63), OverflowError),
        ((1, -(2**63) - 1), OverflowError),
        ((1, 2, "3"), TypeError),
        ((1, 2, 1j), TypeError),
        ((1, 2, 10**400), OverflowError),
        ((), TypeError),
    ],
)
def test_wrong_arguments_launch_nothing(noting, arguments, error):
    note = noting(2, doubles=0b100)
    with pytest.raises(error):
        note.launch(*arguments)
    assert note.count == 0


def test_no_keywords(noting):
    with pytest.raises(TypeError):
        noting(1).launch(n=1)


@pytest.mark.parametrize("release_at", [NEVER, ALWAYS])
def test_a_status_becomes_an_exception_with_its_details(address_of, release_at):
    answer = (ctypes.c_int64 * 5)(3, -1, 2**62, 0, 42)
    launch = bind(address_of("refuse"), ctypes.addressof(answer), release_at, 0, answer)
    with pytest.raises(LaunchError) as caught:
        launch(1, 2)
    assert caught.value.args == (3, -1, 2**62, 0, 42)
    assert isinstance(caught.value, RuntimeError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.args) == (LaunchError, caught.value.args)
    answer[0] = 0
    assert launch(1, 2) is None


def waits(address_of, n, release_at, patience=200):
    """Return whether another Python thread could run while the kernel waited for it."""
    flags = (ctypes.c_int64 * 3)(0, 0, patience)
    ready = threading.Event()

    def say_go():
        ready.set()
        while not flags[0]:  # acquires the GIL at each step
            pass
        flags[1] = 1

    launch = bind(address_of("wait_for_go"), ctypes.addressof(flags), release_at, 0, flags)
    thread = Running(say_go)
    assert ready.wait(600)
    status = 0
    try:
        launch(n)
    except LaunchError as error:
        status = error.args[0]
    thread.finish()
    assert status in (0, 77)
    return status == 0


@pytest.mark.parametrize("release_at", [0, 1, 1000])
def test_the_gil_is_released_from_release_at_on(address_of, release_at):
    assert waits(address_of, release_at, release_at, patience=20_000)
    assert waits(address_of, release_at + 5, release_at, patience=20_000)


@pytest.mark.parametrize(("n", "release_at"), [(0, 1), (999, 1000), (2**61, NEVER)])
def test_the_gil_is_held_below(address_of, n, release_at, monkeypatch):
    assert not waits(address_of, n, release_at)


def test_launches_run_concurrently(address_of):
    """Two kernels that wait for each other: reentrant, and both without the GIL."""
    first, second = ((ctypes.c_int64 * 3)(0, 0, 20_000) for _ in range(2))
    launch = bind(address_of("wait_for_go"), ctypes.addressof(first), ALWAYS, 0, first)
    other = bind(address_of("wait_for_go"), ctypes.addressof(second), ALWAYS, 0, second)
    threads = [Running(launch, 1), Running(launch, 2), Running(other, 1)]
    while not (first[0] and second[0]):
        pass
    first[1] = second[1] = 1
    for thread in threads:
        thread.finish()


def test_it_computes(address_of):
    a, b, out = np.arange(5.0), np.ones(5), np.zeros(5)
    launch = bind(address_of("add"), 0, NEVER, 0, None)
    launch(5, a.ctypes.data, b.ctypes.data, out.ctypes.data)
    assert out.tolist() == [1, 2, 3, 4, 5]


def test_the_owner_lives_as_long_as_the_launch(address_of, no_collector):
    owner = Owner()
    watch = weakref.ref(owner)
    launch = bind(address_of("add"), 0, NEVER, 0, owner)
    del owner
    assert watch() is not None
    del launch
    assert watch() is None


def test_dropping_a_launch_while_it_runs(address_of, no_collector):
    """Clearing a plan table in another thread must not free the plan's memory during a launch."""

    class Flags(ctypes.Structure):
        _fields_ = (("started", ctypes.c_int64), ("go", ctypes.c_int64), ("patience", ctypes.c_int64))

    owner = Flags(0, 0, 20_000)
    watch = weakref.ref(owner)
    table = [bind(address_of("wait_for_go"), ctypes.addressof(owner), ALWAYS, 0, owner)]
    thread = Running(lambda: table[0](1))
    while not owner.started:
        pass
    table.clear()
    assert watch() is not None
    owner.go = 1
    del owner
    thread.finish()
    assert watch() is None


def test_a_wrong_number_of_arguments_never_reaches_the_kernel(noting, address_of):
    plan = (ctypes.c_int64 * 32)(0, 3)
    launch = bind(address_of("note"), ctypes.addressof(plan), NEVER, 0, plan, 3)
    for wrong in ((), (1,), (1, 2), (1, 2, 3, 4), range(25)):
        with pytest.raises(TypeError, match=f"expected 3 to 3 arguments; got {len(wrong)}"):
            launch(*wrong)
    assert plan[0] == 0
    launch(1, 2, 3)
    assert list(plan[:5]) == [1, 3, 1, 2, 3]
    with pytest.raises(TypeError, match="expected 1 to 24 arguments; got 25"):
        noting(2).launch(*range(25))
    any_number = bind(address_of("note"), ctypes.addressof(plan), NEVER, 0, plan, -2)
    with pytest.raises(TypeError, match="expected at least 2 arguments; got 1"):
        any_number(1)
    any_number(*range(1000))


@pytest.mark.parametrize(
    "arguments",
    [(0, 0, 0, 0, None), (1.5, 0, 0, 0, None), (1, 0, 0, 0), (1, 2**70, 0, 0, None), (1, 0, 0, 0, None, 1.5)],
)  # fmt: skip
def test_bind_refuses(arguments):
    with pytest.raises((ValueError, TypeError, OverflowError)):
        bind(*arguments)


def test_failing_launches_leak_nothing(noting, address_of):
    answer = (ctypes.c_int64 * 5)(3, 1, 2, 3, 4)
    refuse = bind(address_of("refuse"), ctypes.addressof(answer), NEVER, 0, answer)
    note = noting(2)

    def fail():
        for wrong in (lambda: refuse(1), lambda: note.launch(1, None)):
            try:
                wrong()
            except (LaunchError, TypeError):
                pass

    fail()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(100):
        fail()
    assert len(gc.get_objects()) - before < 20


@pytest.fixture
def telling(address_of):
    """A launch whose derived plans record the layouts for which they were created."""
    form = (ctypes.c_int64 * 2)(0, 3)
    return bind(address_of("tell"), ctypes.addressof(form), NEVER, 0, form, 3), address_of("note_shape")


def told(launch, count):
    numbers = (ctypes.c_int64 * count)()
    launch(1, ctypes.addressof(numbers), count)
    return list(numbers)


def test_a_launch_is_made_for_other_layouts(telling):
    launch, shaper = telling
    made = rebind(launch, shaper, contiguous((4, 2, 3), float32), None, layout_of((2, 3), (9, 3), float32))
    launch = rebind(made, shaper, contiguous((), float32))
    assert told(made, 14) == [3, 3, 4, 2, 3, 6, 3, 1, -1, 2, 2, 3, 9, 3]
    assert told(launch, 2) == [1, 0]
    with pytest.raises(TypeError, match="expected 3 to 3 arguments"):
        made(1)


@pytest.mark.parametrize(
    ("given", "read"), [(9, [1, 9]), (-9, [1, -9]), ((), [0]), ((7, -8), [2, 7, -8]), (np.int64(5), [1, 5])]
)
def test_a_launch_is_made_for_numbers(telling, given, read):
    launch, shaper = telling
    made = rebind(launch, shaper, contiguous((3,), float32), given)
    assert told(made, 4 + len(read)) == [2, 1, 3, 1, *read]
    assert rebind(launch, shaper, contiguous((3,), float32), (1,) * 65) is None


def test_layouts_without_a_plan_have_no_launch(telling):
    launch, shaper = telling
    assert rebind(launch, shaper, contiguous((1, 1, 1, 1, 2), float32)) is None  # rejected by the shaper itself
    assert rebind(launch, shaper, contiguous((1,) * 65, float32)) is None
    assert rebind(launch, shaper, contiguous((2,), float32), contiguous((1,) * 65, float32)) is None


def test_launches_for_other_layouts_may_take_a_workspace(telling):
    launch, shaper = telling
    plain, working = [rebind(launch, shaper, contiguous((1,) * rank, float32)) for rank in (3, 4)]
    assert workspace_of(plain) == workspace_of(launch) == workspace_of(print) == 0
    assert workspace_of(working) == 4
    numbers = (ctypes.c_int64 * 2)()
    working(1, ctypes.addressof(numbers), 2, 0)
    assert list(numbers) == [1, 4]
    with pytest.raises(TypeError, match="expected 4 to 4 arguments"):
        working(1, ctypes.addressof(numbers), 2)


def test_rebind_rejects_invalid_arguments(telling):
    launch, shaper = telling
    row = contiguous((3,), float32)
    for wrong in ((print, shaper, row, row), (launch, shaper), (None, shaper, row), (launch, shaper, *[row] * 17)):
        with pytest.raises(TypeError, match="rebind: expected a launch"):
            rebind(*wrong)
    with pytest.raises(AttributeError, match="shape"):
        rebind(launch, shaper, row, "row")
    for numbers in (("a",), (2.5,), (1 << 63,), 1 << 63):
        with pytest.raises((TypeError, OverflowError)):
            rebind(launch, shaper, row, numbers)
    with pytest.raises(TypeError):
        rebind(launch, "address", row, row)


def test_a_launch_for_other_layouts_keeps_the_same_owner(address_of):
    class Form(ctypes.c_int64 * 2):
        pass

    form = Form(0, 3)
    launch = bind(address_of("tell"), ctypes.addressof(form), NEVER, 0, form, 3)
    row = contiguous((3,), float32)
    made = rebind(launch, address_of("note_shape"), row, row, row)
    alive = weakref.ref(form)
    del form, launch
    gc.collect()
    assert alive() is not None
    assert told(made, 10) == [3, 1, 3, 1, 1, 3, 1, 1, 3, 1]
    del made
    gc.collect()
    assert alive() is None
