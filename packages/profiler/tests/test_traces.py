"""Traces: checks, nesting, self times, modules, and files."""

import json
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_testing import event_array, training_step

from facula_errors.testing import raises
from facula_profiler import MEMORY, EventList, Kind, Lane, Trace


def contents(trace):
    return (
        trace.events.tolist(), trace.memory.tolist(), trace.names, trace.lanes, trace.stacks, trace.signatures,
        trace.categories, trace.dropped, trace.metadata,
    )  # fmt: skip


def test_self_times_exclude_enclosed_events():
    assert training_step().self_times().tolist() == [310, 190, 100, 200, 200, 180]


def test_modules_of_backward_rules_and_kernels_come_from_the_forward_launch():
    assert training_step().module_paths() == ["", "Net.fc", "Net.fc", "Net.fc", "Net.fc", "Net.fc"]


def test_enclosing_finds_the_innermost_event():
    trace = training_step()
    assert trace.enclosing(Kind.STEP).tolist() == [0, 0, 0, 0, 0, 0]
    assert trace.enclosing(Kind.BACKWARD).tolist() == [-1, -1, -1, 3, 3, 3]
    assert trace.of_kind(Kind.LAUNCH, Kind.KERNEL).tolist() == [2, 4, 5]


@given(st.lists(st.tuples(st.integers(-1, 30), st.integers(-1, 30), st.booleans()), max_size=30))
def test_enclosing_agrees_with_a_walk_along_parents(rows):
    """Compare with a loop, for any forest of parents and any links, cycles included."""
    rows = [(min(parent, place - 1), min(link, len(rows) - 1), wanted)
            for place, (parent, link, wanted) in enumerate(rows)]  # fmt: skip
    kinds = [Kind.MODULE if wanted else Kind.LAUNCH for *_, wanted in rows]
    events = event_array(*[(kind, 0, 0, {"parent": parent, "link": link})
                           for kind, (parent, link, _) in zip(kinds, rows, strict=True)])  # fmt: skip
    found = Trace(events, np.zeros(0, MEMORY), ["x"], [Lane("python", "main")]).enclosing(Kind.MODULE)

    def above(place):
        while place >= 0:
            if rows[place][2]:
                return place
            place = rows[place][0]
        return -1

    direct = [above(place) for place in range(len(rows))]
    for place, answer in enumerate(found):
        if direct[place] >= 0:
            assert answer == direct[place]
        else:  # some chain of parents and links must lead to the answer
            reached, todo = set(), [place]
            while todo:
                one = todo.pop()
                if one >= 0 and one not in reached:
                    reached.add(one)
                    todo += rows[one][:2]
            assert answer in {direct[one] for one in reached} or (answer == -1 and {direct[o] for o in reached} == {-1})
            assert (answer == -1) == all(direct[one] == -1 for one in reached)


def test_files_keep_everything(tmp_path):
    trace = training_step()
    trace.save(tmp_path / "step.facula-trace")
    loaded = Trace.load(tmp_path / "step.facula-trace")
    assert contents(loaded) == contents(trace)
    assert type(loaded.stacks[0][0]) is type(trace.stacks[0][0]) and type(loaded.signatures[0].shapes[0]) is tuple
    assert contents(pickle.loads(pickle.dumps(trace))) == contents(trace)
    assert [path.name for path in tmp_path.iterdir()] == ["step.facula-trace"]


def test_chrome_traces_contain_each_event_in_its_lane_and_an_arrow_for_each_link(tmp_path):
    trace = training_step()
    EventList(trace).export_chrome_trace(tmp_path / "step.json")
    found = json.loads((tmp_path / "step.json").read_text())["traceEvents"]
    rows = {one["tid"]: one["args"]["name"] for one in found if one["name"] == "thread_name"}
    spans = [(one["name"], one["cat"], rows[one["tid"]], one["ts"], one["dur"]) for one in found if one["ph"] == "X"]
    assert spans == [  # microseconds
        ("step", "user_annotation", "main (python)", 0, 1), ("Net.fc", "python_function", "main (python)", 0.01, 0.29),
        ("linear", "cpu_op", "main (python)", 0.02, 0.1), ("linear", "cpu_op", "main (python)", 0.4, 0.4),
        ("matmul", "cpu_op", "main (python)", 0.5, 0.2), ("matmul", "kernel", "stream 0 (device)", 0.51, 0.18),
    ]  # fmt: skip
    arrows = [(one["cat"], one["id"], one["ph"], rows[one["tid"]], one["ts"]) for one in found if one["ph"] in "sf"]
    assert arrows == [
        ("fwdbwd", 3, "s", "main (python)", 0.02), ("fwdbwd", 3, "f", "main (python)", 0.4),
        ("ac2g", 5, "s", "main (python)", 0.5), ("ac2g", 5, "f", "stream 0 (device)", 0.51),
    ]  # fmt: skip
    memory = [(one["ts"], one["args"]["Bytes"], one["args"]["Total Allocated"]) for one in found if one["ph"] == "i"]
    assert memory == [(0.03, 256, 256), (0.9, -256, 0)]


def test_empty_traces(tmp_path):
    empty = Trace(event_array(), np.zeros(0, MEMORY), [], [])
    assert empty.duration == len(empty) == 0 and empty.self_times().size == 0 and empty.module_paths() == []
    empty.save(tmp_path / "t")
    assert len(Trace.load(tmp_path / "t")) == 0


def test_broken_files_are_refused(tmp_path):
    """Check each truncation and a change of each member."""
    training_step().save(tmp_path / "t")
    data = (tmp_path / "t").read_bytes()
    for end in range(0, len(data), 97):
        (tmp_path / "cut").write_bytes(data[:end])
        with raises(ValueError, "Trace.load", "pass a file of Trace.save"):
            Trace.load(tmp_path / "cut")
    for header in (
        b"{'descr': (",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (9" + b"9" * 30 + b",)}",
        b"(" * 999,
    ):
        with zipfile.ZipFile(tmp_path / "damaged", "w") as archive:
            archive.writestr("trace.json", '{"version": 1}')
            archive.writestr("events.npy", b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)
        with raises(ValueError, "Trace.load", "pass a file of Trace.save"):
            Trace.load(tmp_path / "damaged")
    huge = training_step()
    huge.categories = [(0, {1 << 63: "parameter"})]
    huge.save(tmp_path / "huge")
    with raises(ValueError, "Trace.load", "pass a file of Trace.save"):
        Trace.load(tmp_path / "huge")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with raises(ValueError, "Trace.load"):
        Trace.load(tmp_path / "other.npz")
    with raises(FileNotFoundError, "Trace.load", "check the path"):
        Trace.load(tmp_path / "none")
    with raises(FileNotFoundError, "Trace.save", "check the folder"):
        training_step().save(tmp_path / "none" / "t")
    with raises(IsADirectoryError, "Trace.save", "add the name of a file"):
        training_step().save(tmp_path)
    with raises(TypeError, "Trace.load", "a path", value=3):
        Trace.load(3)


@pytest.mark.parametrize(
    ("field", "value"), [("name", 5), ("name", -1), ("lane", 2), ("stack", 1), ("parent", 6), ("link", -2)]
)
def test_indices_without_a_target_are_refused(field, value):
    trace = training_step()
    events = trace.events.copy()
    events[field][3] = value
    with raises(ValueError, "Trace", f"{field} of record 3", value=str(value)):
        Trace(events, trace.memory, trace.names, trace.lanes, trace.stacks, trace.signatures)


def test_parents_come_first():
    trace = training_step()
    events = trace.events.copy()
    events["parent"][2] = 2
    with raises(ValueError, "Trace", "the parent of event 2 before it"):
        Trace(events, trace.memory, trace.names, trace.lanes, trace.stacks, trace.signatures)
    with raises(ValueError, "Trace", "an array of EVENT records"):
        Trace(np.zeros(3), trace.memory, trace.names, trace.lanes)
