"""Sequences whose steps one launch of a backend runs."""

import ctypes
import gc
import weakref

import pytest
from storage_helpers import LAYOUT, NEVER, Owner, holder, sequence

from facula_storage import bind
from facula_storage.extend import unbind


@pytest.fixture
def combining(address_of):
    """Return a launch of all steps of a sequence, and its plan: whether it runs them, and how often it has."""
    plan = (ctypes.c_int64 * 2)(1, 0)
    return bind(address_of("run_steps"), ctypes.addressof(plan), NEVER, 0, plan, 4), plan


def test_a_combined_launch_runs_all_steps(noting, combining):
    one, other, x = noting(3), noting(2), holder()
    launch, plan = combining
    made = sequence([(one.launch, (1, 0, 3)), (other.launch, (4, 5))], inputs=[(LAYOUT, None, 16)],
                    patches=[(0, 1, 0, 0)])  # fmt: skip
    assert made.combine(launch) is True
    with pytest.raises(RuntimeError, match="combine"):
        made.combine(launch)
    assert made.run((holder(),), ()) is made.run((x,), ()) is None
    made.set(1, 1, 6)
    assert made.run((x,), ()) is None
    assert (plan[1], one.count, other.count) == (3, 3, 3)
    assert [one.argument(i) for i in range(3)] == [1, x.storage.ptr, 3] and other.argument(1) == 6
    plan[0] = 0  # it declines
    assert made.run((x,), ()) is None
    assert (plan[1], one.count, other.count) == (3, 4, 4)
    assert made.run((5,), ()) == -1 and one.count == 4  # checks come first


def test_a_combined_launch_lives_with_its_sequence(noting, combining):
    made = sequence([(noting(1).launch, (0,))])
    owner = Owner()
    alive = weakref.ref(owner)
    launch = bind(unbind(combining[0])[0], ctypes.addressof(combining[1]), NEVER, 0, owner, 4)
    made.combine(launch)
    del launch, owner
    gc.collect()
    assert made.run((), ()) is None and combining[1][1] == 1 and alive()
    del made
    assert alive() is None


def test_conditions_and_functions_are_not_combined(noting, combining):
    x = holder()
    for step in ((None, (x.storage.ptr, 0)), (lambda n: None, (1,))):
        made = sequence([(noting(1).launch, (0,)), step])
        assert made.combine(combining[0]) is False
        assert made.run((), ()) is None and combining[1][1] == 0
    with pytest.raises(TypeError, match="combine"):
        made.combine(print)
