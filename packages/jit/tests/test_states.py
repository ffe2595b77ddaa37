"""The states of a signature: Note [States of a signature]."""

import warnings
from io import BytesIO

import pytest

from facula_errors.testing import raises
from facula_jit import CaptureError, capture, load, save
from facula_jit._capture.cache_entry import EAGER, MAX_REPLAYS, REPLAYING, SPLIT, TRANSITIONS, WARMING_UP, Event, State
from facula_jit._capture.outcomes import MAX_ATTEMPTS
from facula_tensor import ones, zeros


def states(captured, calls, *args):
    """Return the state of the signature of `args` after each of this many calls."""
    found = []
    for _ in range(calls):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            captured(*args)
        found.append([entry.state for entry in captured._entries.values()][-1])
    return found


def test_the_table_has_a_row_for_each_state_and_an_entry_for_each_event():
    assert set(TRANSITIONS) == set(State) and all(set(row) == set(Event) for row in TRANSITIONS.values())


def test_rejected_signatures_are_never_captured_again():
    assert {TRANSITIONS[state][event] for state in (EAGER, SPLIT) for event in Event} == {EAGER, SPLIT}
    assert set(TRANSITIONS[SPLIT].values()) == {SPLIT}


def test_the_first_run_is_captured_and_then_replayed():
    captured = capture(lambda x: x * 2)
    assert states(captured, 3, ones(3)) == [REPLAYING] * 3


def test_files_and_graphs_have_the_capture_that_fits_the_present_state():
    """The capture that ran last counts if several fit, or none."""
    scale = {"of": 1.0}
    captured = capture(lambda x: x * scale["of"])

    def saved():
        save(captured, file := BytesIO())
        file.seek(0)
        return load(file)(ones(3)).tolist()[0]

    for number in (2.0, 3.0, 2.0):
        scale["of"] = number
        states(captured, 3, ones(3))
        assert saved() == number
    scale["of"] = 3.0
    assert saved() == 3.0 and "x0, 3)" in str(captured.graph())
    scale["of"] = 4.0
    assert saved() == 2.0 and "x0, 2)" in str(captured.graph())
    captured(ones(5))
    scale["of"] = 3.0
    assert "[3]" in str(captured.graph()) and "x0, 3)" in str(captured.graph())
    assert "[5]" in str(captured.graph(-1))


def test_a_run_that_leaves_new_tensors_is_not_kept():
    kept = []

    def step(x):
        if not kept:
            kept.append(zeros(3))
        kept[0].add_(x)
        return kept[0] * 1

    captured = capture(step)
    assert states(captured, 3, ones(3)) == [WARMING_UP, REPLAYING, REPLAYING] and kept[0].tolist() == [3, 3, 3]


def test_runs_that_always_leave_new_tensors_are_rejected():
    kept = []

    def step(x):
        kept.append(x * 2)
        return x * 1

    assert states(capture(step), MAX_ATTEMPTS + 1, ones(3)) == [WARMING_UP] * (MAX_ATTEMPTS - 1) + [EAGER] * 2


def reads(x):
    y = x * 2
    if y.sum().item() > 0:
        y = y + 1
    return y * 3


@pytest.mark.parametrize(("on_break", "state"), [("eager", EAGER), ("split", SPLIT)])
def test_a_graph_break_rejects(on_break, state):
    captured = capture(reads, on_break=on_break)
    assert states(captured, 3, ones(3)) == [state] * 3 and captured(ones(3)).tolist() == [9, 9, 9]


def test_a_graph_break_that_raises_changes_no_state():
    captured = capture(reads, on_break="error")
    for _ in range(2):
        with raises(CaptureError, "capture", "item"):
            captured(ones(3))
        assert [entry.state for entry in captured._entries.values()] == [WARMING_UP]


def test_guards_that_fail_too_often_reject():
    factor = [1]
    captured, found = capture(lambda x: x * factor[0]), []
    for number in range(MAX_REPLAYS + 2):
        factor[0] = number
        found += states(captured, 1, ones(3))
    assert found == [REPLAYING] * MAX_REPLAYS + [EAGER] * 2


def test_other_signatures_have_states_of_their_own():
    captured = capture(lambda x: x * 2 if len(x) > 3 else x * x.sum().item())
    assert states(captured, 2, ones(3)) == [EAGER] * 2 and states(captured, 2, ones(4)) == [REPLAYING] * 2
    assert [entry.state for entry in captured._entries.values()] == [EAGER, REPLAYING]
