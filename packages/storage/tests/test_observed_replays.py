"""Observers of replays."""

import ctypes
import os
import threading
import time

import pytest
from storage_helpers import NEVER, holder, sequence

from facula_storage import LaunchError, bind
from facula_storage.extend import observe_replays

REPLAY, STEP = 6, 7
FUNCTION = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)


@pytest.fixture
def events():
    """Observe replays: a list of (kind, -1, start, end, value, thread)."""
    found = []
    observer = FUNCTION(lambda *event: found.append((*event, threading.get_ident())))
    former = observe_replays(ctypes.cast(observer, ctypes.c_void_p).value)
    yield found
    observe_replays(former)


def kinds(events):
    return [(event[0], event[4]) for event in events]


def test_steps_are_inside_their_replay(events, noting):
    before = time.monotonic_ns()
    made = sequence([(noting(1).launch, (1,)), (lambda n: time.sleep(0.01), (4,)), (noting(1).launch, (2,))])
    assert made.run((), ()) is None
    after = time.monotonic_ns()
    assert kinds(events) == [(STEP, 1), (STEP, 4), (STEP, 2), (REPLAY, 3)]
    assert {event[1] for event in events} == {-1}
    assert {event[5] for event in events} == {threading.get_ident()}
    *steps, (_, _, start, end, *_) = events
    times = [before, start, *[time for step in steps for time in step[2:4]], end, after]
    assert times == sorted(times)
    assert steps[1][3] - steps[1][2] >= 10_000_000


def test_launches_that_release_the_gil(events, noting):
    made = sequence([(noting(1, release_at=1).launch, (5,))] * 3)
    assert made.run((), ()) is None
    assert kinds(events) == [(STEP, 5), (STEP, 5), (STEP, 5), (REPLAY, 3)]


def test_skipped_steps_are_not_reported(events, noting):
    x = holder()
    made = sequence([(None, (x.storage.ptr, 1, 0)), (noting(1).launch, (1,)), (noting(1).launch, (2,))])
    ctypes.c_float.from_address(x.storage.ptr).value = 0.0
    assert made.run((), ()) is None
    assert kinds(events) == [(STEP, 2), (REPLAY, 3)]


def test_failed_checks_are_no_replays(events, noting):
    made = sequence([(noting(1).launch, (1,))])
    assert made.run((3,), ()) == -1
    assert sequence([]).run((), ()) is None, "nor is a sequence that only checks"
    assert not events


def test_failed_launches_are_reported(events, address_of):
    answer = (ctypes.c_int64 * 5)(3, 0, 0, 0, 0)
    made = sequence([(bind(address_of("refuse"), ctypes.addressof(answer), NEVER, 0, answer), (1,))])
    with pytest.raises(LaunchError):
        made.run((), ())
    assert kinds(events) == [(STEP, 1), (REPLAY, 1)]


def test_combined_steps_are_one_event(events, noting, address_of):
    plan = (ctypes.c_int64 * 2)(1, 0)
    made = sequence([(noting(1).launch, (1,))] * 3)
    assert made.combine(bind(address_of("run_steps"), ctypes.addressof(plan), NEVER, 0, plan, 4))
    assert made.run((), ()) is None
    assert kinds(events) == [(REPLAY, 3)]


def test_labels_identify_steps(events, noting):
    made = sequence([(noting(1).launch, (3,)), (noting(1).launch, (4,))])
    assert made.label([100, 200, 300]) is True
    assert made.run((), ()) is None
    assert kinds(events) == [(100, 3), (200, 4), (300, 2)]
    for wrong in ([1, 2], (1, 2, 3), None):
        with pytest.raises(ValueError, match="label: expected a list of 3 kinds"):
            made.label(wrong)
    with pytest.raises(TypeError):
        made.label([1, 2, "3"])
    assert made.label([101, 201, 301]) is True
    assert made.run((), ()) is None
    assert kinds(events)[3:] == [(101, 3), (201, 4), (301, 2)]


def test_a_running_sequence_keeps_its_labels(events):
    found = []
    made = sequence([(lambda n: found.append(made.label([1, 2])), (0,))])
    assert made.run((), ()) is None
    assert found == [False]
    assert kinds(events) == [(STEP, 0), (REPLAY, 1)]


def test_forked_children_have_no_observer(events, noting):
    child = os.fork()
    if child == 0:
        made = sequence([(noting(1).launch, (1,))])
        os._exit(0 if made.run((), ()) is None and not events and observe_replays(0) == 0 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_only_addresses_are_accepted():
    with pytest.raises(TypeError):
        observe_replays("observer")
    assert observe_replays(0) == 0
