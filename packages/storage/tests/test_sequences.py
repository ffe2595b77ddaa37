"""Sequences: many launches as one call, the checks before them, and their effects."""

import ctypes
import gc
import random
import weakref

import pytest
from storage_helpers import LAYOUT, NEVER, SLOTS, Holder, Owner, Running, holder, live, sequence, view

from facula_storage import LaunchError, Storage, bind, contiguous, float32, float64, layout_of
from facula_storage._layout_caches import clear_layout_caches
from facula_storage.extend import ABSENT, CheckKind, borrow, launch_count

NODE = SLOTS[3]


def test_launches_run_in_order_with_their_arguments(noting):
    one, other = noting(3), noting(2, doubles=2)
    made = sequence([(one.launch, (1, 2, 3)), (other.launch, (4, 0.5)), (one.launch, (7, 8, 9))])
    before = launch_count()
    assert made.run((), ()) is None
    assert (one.count, [one.argument(i) for i in range(3)]) == (2, [7, 8, 9])
    assert other.argument(1, "d") == 0.5
    assert launch_count() == before  # captured output is not repeated


def test_patches_of_inputs_and_values(noting):
    note, x = noting(3), holder()
    made = sequence([(note.launch, (0, 0, 0))], inputs=[(LAYOUT, None, 16)], values=1,
                    patches=[(0, 1, 0, 8), (0, 2, 1, -1)])  # fmt: skip
    assert made.run((x,), (100,)) is None
    assert [note.argument(i) for i in range(3)] == [0, x.storage.ptr + 8, 99]


def test_a_failed_input_is_reported_by_number(noting):
    note, x = noting(1), holder()
    made = sequence([(note.launch, (0,))], inputs=[(LAYOUT, None, 16)] * 2, spans=[(x.storage.ptr, x.storage.ptr + 16)])
    other, third = holder(), holder()
    third.layout = contiguous((5,), float32)
    fourth = holder()
    fourth.node = 3
    given = ((other, other), (other, x), (third, other), (other, fourth), (other,))
    assert [made.run(inputs, ()) for inputs in given] == [None, -2, -1, -2, -1]
    assert made.run((other, 5), ()) == -2
    del fourth.storage
    assert made.run((fourth, other), ()) == -1
    assert note.count == 1


def shifted(one, offset):
    """A holder over the memory of another one, with an offset in bytes."""
    made = holder()
    made.storage, made.offset = one.storage, offset
    return made


def test_inputs_share_memory_as_they_did(noting):
    note, x, y = noting(1), holder(), holder()
    apart = sequence([(note.launch, (0,))], inputs=[(LAYOUT, None, 16, 0, 0), (LAYOUT, None, 16, 1, 0)])
    given = [(x, y), (x, x), (x, shifted(x, 12)), (shifted(x, 8), x), (x, shifted(x, 16))]
    assert [apart.run(inputs, ()) for inputs in given] == [None, -2, -2, -2, None]
    together = sequence([(note.launch, (0,))], inputs=[(LAYOUT, None, 16, 0, 0), (LAYOUT, None, 16, 0, 8)])
    assert [together.run((x, shifted(one, 8)), ()) for one in (x, y)] == [None, -2]
    assert together.run((x, x), ()) == -2


def test_inputs_are_of_their_classes_and_the_same_objects_as_they_were(noting):
    class Other(type(holder())):
        pass

    note, x, y, other = noting(1), holder(), holder(), Other()
    other.__dict__.update(vars(x)) if hasattr(x, "__dict__") else None
    for descriptor in SLOTS[:6]:
        try:
            descriptor.__set__(other, descriptor.__get__(x))
        except (AttributeError, TypeError):
            continue
    loose = (LAYOUT, None, 16, -1, 0, False)
    exact = sequence([(note.launch, (0,))], inputs=[(*loose, type(x), -1)])
    assert [exact.run((one,), ()) for one in (x, other)] == [None, -1]
    apart = sequence([(note.launch, (0,))], inputs=[(*loose, None, 0), (*loose, None, 1)])
    assert [apart.run(inputs, ()) for inputs in [(x, y), (x, x)]] == [None, -2]
    twins = sequence([(note.launch, (0,))], inputs=[(*loose, None, 0), (*loose, None, 0)])
    assert [twins.run(inputs, ()) for inputs in [(x, x), (x, y)]] == [None, -2]


def test_bare_inputs_have_no_hooks(noting):
    note, x = noting(1), holder()
    bare = sequence([(note.launch, (0,))], inputs=[(LAYOUT, None, 16, -1, 0, False, None, -1, True)])
    assert bare.run((x,), ()) is None  # the slot is not set
    found = []
    for x.hooks in (None, object()):
        found.append(bare.run((x,), ()))
    assert found == [None, -1]


def test_a_sequence_creates_its_result(noting):
    note, x, table, (memory, before) = noting(1), holder(), {"a": 1}, live()
    made = sequence(
        [(note.launch, (0,))],
        inputs=[(LAYOUT, None, 16)],
        values=1,
        patches=[(0, 0, 1, 0)],
        checks=[(CheckKind.ITEM, table, "a", 1)],
    )
    with pytest.raises(TypeError, match="serve: expected a tuple of inputs, after `returns`"):
        made.serve((x,))
    release, node = vars(Storage)["__del__"], object()
    for wrong in [(int, LAYOUT), (Holder, x)]:
        with pytest.raises(TypeError, match="returns: expected a class of tensors, the layout of its memory"):
            made.returns(wrong[0], LAYOUT, 0, node, wrong[1], release)
    with pytest.raises(ValueError, match="with one value"):
        sequence([]).returns(Holder, LAYOUT, 0, node, LAYOUT, release)
    made.returns(Holder, LAYOUT, 0, node, LAYOUT, release)
    results = [made.serve((x,)) for _ in range(3)]
    assert len({one.storage.ptr for one in results}) == 3
    assert note.argument(0) == results[2].storage.ptr
    for one in results:
        assert (type(one), one.layout, one.offset, one.node, one.storage.version) == (Holder, LAYOUT, 0, node, 0)
        assert not hasattr(one, "hooks")
    assert live()[1] == before + 3
    table["a"] = 2
    assert (made.serve((x,)), made.serve((1,))) == (0, -1)
    assert live()[1] == before + 3
    del results, one
    assert live() == (memory, before)


def test_a_put_tensor_is_restored(noting):
    leaf, grad, other = holder(), holder(), holder()
    state = grad.layout, grad.storage, grad.offset, grad.node, ABSENT
    loose, whole = [
        sequence([(noting(1).launch, (0,))], puts=[(leaf, SLOTS[5], grad, *more)]) for more in ((), (state,))
    ]
    grad.storage, grad.offset, grad.hooks = other.storage, 4, []
    loose.run((), ())
    assert leaf.grad is grad
    assert grad.storage is other.storage
    whole.run((), ())
    assert (leaf.grad, grad.storage, grad.offset) == (grad, *state[1:3])
    assert not hasattr(grad, "hooks")
    for value, wrong in ((grad, state[:4]), (object(), state)):
        with pytest.raises(TypeError, match="expected the layout, storage, offset, node and hooks"):
            sequence([], puts=[(leaf, SLOTS[5], value, wrong)])


def test_equal_layouts_fit(noting):
    x = holder()
    table_dropped_it = new_layout(LAYOUT.shape, LAYOUT.strides)
    assert table_dropped_it is not LAYOUT
    made = sequence([(noting(1).launch, (0,))], inputs=[(LAYOUT, None, 16)])
    for layout in (table_dropped_it, LAYOUT, LAYOUT, table_dropped_it):
        x.layout = layout
        assert made.run((x,), ()) is None
    for layout in (new_layout((2, 2), (2, 1)), new_layout((4,), (2,)), contiguous((4,), float64), None):
        x.layout = layout
        assert made.run((x,), ()) == -1


def new_layout(shape, strides):
    """A layout that is in no table."""
    clear_layout_caches()
    made = layout_of(shape, strides, float32)
    clear_layout_caches()
    return made


def read_only(one):
    """A read-only holder over the memory of another one."""
    made = shifted(one, 0)
    made.storage = borrow(one.storage.ptr, 16, one.storage, "it is a test")
    return made


def test_a_read_only_input_is_not_written(noting):
    note, x = noting(1), holder()
    written = sequence([(note.launch, (0,))], inputs=[(LAYOUT, None, 16, 0, 0, True)])
    assert written.run((read_only(x),), ()) == -1
    assert note.count == 0
    assert written.run((x,), ()) is None  # the sequence remains usable
    del x.storage.version
    assert written.run((x,), ()) == -1
    read = sequence([(note.launch, (0,))], inputs=[(LAYOUT, None, 16, 0, 0, False)])
    assert read.run((read_only(x),), ()) is None


def test_a_changed_storage_that_is_read_only_now(noting):
    note, x = noting(1), holder()
    checks = [(CheckKind.SIZE, [], None, 0)]
    made = sequence([(note.launch, (0,))], checks=checks, changed=[(x.storage, 1, None)])
    x.storage.version = None
    assert (made.run((), ()), note.count) == (1, 0)
    x.storage.version = 3
    assert made.run((), ()) is None
    assert x.storage.version == 4


def test_a_written_input_does_not_overlap_read_memory(noting):
    note, x, other = noting(1), holder(), holder()
    start = x.storage.ptr
    for is_written, missed in ((False, None), (True, -1)):
        spans = [(start, start + 16, False)]
        made = sequence([(note.launch, (0,))], inputs=[(LAYOUT, None, 16, 0, 0, is_written)], spans=spans)
        assert [made.run((one,), ()) for one in (x, shifted(x, 12), shifted(x, 16), other)] == [
            missed,
            missed,
            None,
            None,
        ]


def test_random_spans_are_searched(noting):
    numbers, note = random.Random(7), noting(1)
    for _ in range(200):
        spans = []
        for _ in range(numbers.randrange(12)):
            start = numbers.randrange(200)
            spans.append((start, start + numbers.randrange(1, 20), numbers.random() < 0.5))
        for is_written in (False, True):
            made = sequence([(note.launch, (0,))], inputs=[(LAYOUT, None, 16, -1, 0, is_written)], spans=spans)
            for address in range(0, 230, 7):
                x = holder()
                x.offset = address - x.storage.ptr
                hit = any(address < end and start < address + 16 and (own or is_written) for start, end, own in spans)
                assert made.run((x,), ()) == (-1 if hit else None)


def test_versions_and_slots_are_updated(noting):
    x, site = holder(), ("add_", None, 0)
    made = sequence([(noting(1).launch, (0,))], changed=[(x.storage, 3, site)], puts=[(x, NODE, site)])
    made.run((), ()), made.run((), ())
    assert (x.storage.version, x.storage.mutator, x.node) == (6, site, site)


def test_a_condition_skips_launches(noting):
    note, last, x = noting(1), noting(1), holder(0)
    made = sequence([(None, (x.storage.ptr, 2)), (note.launch, (0,)), (note.launch, (0,)), (last.launch, (0,))])
    made.run((), ())
    view(x)[0] = 1
    made.run((), ())
    assert (note.count, last.count) == (2, 2)


def test_a_condition_that_is_0(noting):
    note, last, x = noting(1), noting(1), holder(0)
    made = sequence([(None, (x.storage.ptr, 1, 0)), (note.launch, (0,)), (last.launch, (0,))])
    made.run((), ())
    view(x)[0] = 2
    made.run((), ())
    assert (note.count, last.count) == (1, 2)


@pytest.mark.parametrize("turns", [0, 1, 5, 3000])
def test_a_loop_repeats_while_a_number_is_not_0(noting, turns):
    note, last, x = noting(1), noting(1), holder(turns)

    def down(*args):
        view(x)[0] -= 1

    where = x.storage.ptr
    loop = [(None, (where, 3, 0)), (note.launch, (0,)), (down, ()), (None, (where, -3)), (last.launch, (0,))]
    made = sequence(loop)
    made.run((), ())
    assert (note.count, last.count) == (turns, 1)
    for wrong in ((0, 1, 0), (3, 1, -9), (3, 2, 1)):  # the target of a condition cannot be changed after its check
        with pytest.raises(IndexError):
            made.set(*wrong)
    with pytest.raises(IndexError):
        sequence(loop, values=1, patches=[(3, 1, 0, 0)])


def test_a_python_function(noting):
    seen = []
    made = sequence([(lambda *args: seen.append(args), (1, 2)), (noting(1).launch, (0,))])
    made.run((), ())
    assert seen == [(1, 2)]

    def fails(*args):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sequence([(fails, (1,))]).run((), ())


def test_a_launch_that_fails_is_named(noting, address_of):
    note = noting(1)
    answer = (ctypes.c_int64 * 5)(9, 5, 6, 7, 8)
    failing = bind(address_of("refuse"), ctypes.addressof(answer), NEVER, 0, answer)
    made = sequence([(note.launch, (0,)), (failing, (5, 1)), (note.launch, (0,))])
    assert made.failed_step() == -1
    for _ in range(2):
        with pytest.raises(LaunchError) as caught:
            made.run((), ())
        assert caught.value.args == (9, 5, 6, 7, 8, 1)
        assert made.failed_step() == 1
    assert note.count == 2


def test_a_run_that_fails_leaves_versions_and_slots_to_the_caller(noting):
    x, y, is_failing = holder(), holder(), []
    made = sequence(
        [(noting(1).launch, (0,)), (lambda: is_failing and 1 / 0, ())],
        changed=[(x.storage, 3, None)], puts=[(x, NODE, y)], checks=[(CheckKind.SLOT, y, NODE, None)],
    )  # fmt: skip
    is_failing.append(1)
    with pytest.raises(ZeroDivisionError):
        made.run((), ())
    assert (x.storage.version, x.node, made.failed_step()) == (0, None, 1)
    y.node = y
    assert made.run((), ()) == 0
    assert made.failed_step() == -1


def test_a_concurrent_call_is_reported(address_of):
    flags = (ctypes.c_int64 * 3)(0, 0, 20_000)
    waiting = bind(address_of("wait_for_go"), ctypes.addressof(flags), 0, 0, flags)
    made = sequence([(waiting, (1,))], checks=[(CheckKind.SIZE, [1], None, 1)])
    thread = Running(made.run, (), ())
    while not flags[0]:
        pass
    assert made.run((), ()) == 1  # the number of checks
    flags[1] = 1
    assert thread.finish() is None
    assert made.run((), ()) is None


def test_numbers_can_be_set(noting):
    note = noting(2, doubles=2)
    made = sequence([(note.launch, (1, 0.5))])
    made.set(0, 1, 2.5)
    made.run((), ())
    assert note.argument(1, "d") == 2.5
    for wrong in ((1, 0, 1), (0, 2, 1), (-1, 0, 1)):
        with pytest.raises(IndexError):
            made.set(*wrong)
    with pytest.raises(TypeError):
        made.set(0, 1, "x")
    with pytest.raises(IndexError):
        made.expect(0, None)


WRONG = {
    "no launch": dict(launches=[(3, (1,))]),
    "no pair": dict(launches=[3]),
    "too few arguments": dict(launches=[("launch", ())]),
    "no number": dict(launches=[("launch", ("x",))]),
    "a patch of nothing": dict(launches=[("launch", (1,))], patches=[(0, 1, 0, 0)], values=1),
    "a patch by nothing": dict(launches=[("launch", (1,))], patches=[(0, 0, 1, 0)], values=1),
    "a condition without launches": dict(launches=[(None, (0, 1))]),
    "a condition that goes back too far": dict(launches=[("launch", (1,)), (None, (0, -3))]),
    "a count of values": dict(launches=[], values=-1),
}


@pytest.mark.parametrize("name", WRONG)
def test_invalid_sequences(noting, name):
    parts = dict(WRONG[name])
    launches = [
        (noting(1, told=1).launch, one[1]) if type(one) is tuple and one[0] == "launch" else one
        for one in parts.pop("launches")
    ]
    with pytest.raises((TypeError, ValueError, IndexError)):
        sequence(launches, **parts)


def test_runs_with_other_arguments_are_refused(noting):
    made = sequence([(noting(1).launch, (0,))], values=1)
    for wrong in ((), ((),), ([], (1,)), ((), ()), ((), (1, 2)), ((), ("x",))):
        with pytest.raises(TypeError):
            made.run(*wrong)


def test_it_keeps_and_releases_references(address_of, no_collector):
    owner = Owner()
    launch = bind(address_of("note"), 0, NEVER, 0, owner)
    x = holder()
    links = [weakref.ref(one) for one in (owner, x)]
    made = sequence([(launch, (0,))], checks=[(CheckKind.SLOT, x, NODE, None)])
    del owner, launch, x
    gc.collect()
    assert None not in [link() for link in links]
    del made
    assert [link() for link in links] == [None, None]


def test_cycles_through_it_are_collected(noting):
    x = holder()
    x.node = sequence([(noting(1).launch, (0,))], checks=[(CheckKind.CALL, x, [x.storage].count, 0)])
    link = weakref.ref(x)
    del x
    gc.collect()
    assert link() is None
