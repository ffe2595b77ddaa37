"""Recordings: launches, stacks, threads, rings, forks and killed programs."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pytest
from launch_testing import LAYOUT, OTHER, Operators, launch_of, names, plan_of

from facula_errors.testing import raises
from facula_profiler import Kind, Trace, profile, record_function, recover
from facula_profiler._recording.recording import running
from facula_storage import LaunchError, Plan


def test_launches_are_recorded_while_a_profile_runs():
    operators = Operators(add=plan_of(), mul=plan_of("mul", lambda *args: None))
    before = {name: table.by_key["key"] for name, table in operators.tables.items()}
    operators.call("add")
    with profile() as prof:
        operators.call("add")
        with record_function("block"):
            operators.call("mul")
        added = plan_of("exp", inputs=(OTHER,), outputs=(OTHER,))
        operators.tables["mul"].add("late", added).launch(5, 0, 0)
    operators.call("add")
    trace = prof.trace
    assert names(trace) == ["aten::add", "block", "aten::mul", "aten::exp"]
    assert trace.events["parent"].tolist() == [-1, -1, 1, -1]
    assert trace.events["value"][trace.of_kind(Kind.LAUNCH)].tolist() == [6, 6, 5]
    first = trace.signatures[trace.events["signature"][0]]
    assert (first.operator, first.shapes, first.dtypes, first.flops, first.nbytes) == (
        "add", ((2, 3), (2, 3)), ("float32", "float32"), 6, 72)  # fmt: skip
    assert {name: table.by_key["key"] for name, table in operators.tables.items()} == before
    assert operators.tables["mul"].by_key["late"] is added
    assert (np.diff(trace.events["start"]) >= 0).all() and (trace.events["end"] >= trace.events["start"]).all()


def test_launches_for_any_size():
    """Without shapes, launches for any size are recorded as such; with them, plans are found by their keys."""
    plan = plan_of(any_size=True)
    operators = Operators(add=plan)
    table = operators.tables["add"]
    table.add_dense(table.dense, LAYOUT.dense, plan, is_keyed=True)
    with profile() as prof:
        table.dense[LAYOUT.dense](60, 64, 128, 192)
    assert prof.trace.signatures[0].shapes is None and prof.trace.signatures[0].dtypes == ("float32", "float32")
    with profile(with_flops=True) as prof:
        assert table.dense[LAYOUT.dense] is None
    assert table.dense[LAYOUT.dense] is plan.launch


def test_operators_in_place_have_pytorchs_names():
    elementwise = Plan("add", (), (LAYOUT,), launch_of(lambda plan, args: 0), elementwise=("add", (), (), ()),
                       request=("add", (LAYOUT, LAYOUT), ()))  # fmt: skip
    operators = Operators(add=elementwise, linear_weight_grad=plan_of("linear_weight_grad"))
    address = 1 << 40
    with profile() as prof:
        operators.call("add", 6, address, 128, address)
        operators.call("add", 6, address, address, 128)
        operators.call("linear_weight_grad", 6, 64, 128, 64)
        operators.call("add", 0, 0, 0, 0)  # empty tensors
    assert names(prof.trace) == ["aten::add_", "aten::add", "facula::linear_weight_grad", "aten::add"]


def test_errors_of_launches_pass_through_unrecorded():
    refused = plan_of(launch=launch_of(lambda plan, args: 1))
    failing = plan_of("mul", launch=lambda *args: 1 // 0)
    operators = Operators(add=refused, mul=failing)
    with profile() as prof:
        with pytest.raises(LaunchError):
            operators.call("add")
        with pytest.raises(ZeroDivisionError):
            operators.call("mul")
        with pytest.raises(TypeError):
            operators.call("add", "x")
    assert len(prof.trace) == 0


def test_a_launch_that_a_caller_keeps_works_afterwards():
    operators = Operators(add=plan_of())
    with profile():
        kept = operators.tables["add"].by_key["key"].launch
    kept(1, 2, 3, 4)
    with profile() as prof:
        kept(1, 2, 3, 4)
    assert len(prof.trace) == 0


def test_stacks():
    operators = Operators(add=plan_of())

    def inner():
        operators.call("add")

    with profile(with_stack=True) as prof:
        inner()
        for _ in range(2):
            operators.call("add")
    trace = prof.trace
    first, second, third = (trace.stacks[place] for place in trace.events["stack"])
    assert [frame.function.rpartition(".")[2] for frame in first[:3]] == ["call", "inner", "test_stacks"]
    assert second == third != first and first[1].file == __file__
    assert first[1].line == inner.__code__.co_firstlineno + 1
    assert not first[1].is_library
    assert prof.events()[0].stack[1].startswith(f"{__file__}({first[1].line}): ")
    with profile() as prof:
        inner()
    assert prof.trace.stacks == []


def test_deep_stacks_keep_their_innermost_frames():
    operators = Operators(add=plan_of())

    def recurse(depth):
        return recurse(depth - 1) if depth else operators.call("add")

    with profile(with_stack=True) as prof:
        recurse(400)
    assert len(prof.trace.stacks[0]) == 256


def test_threads_have_lanes():
    operators = Operators(add=plan_of())

    def work():
        with record_function("thread"):
            operators.call("add")

    with profile() as prof:
        work()
        threads = [threading.Thread(target=work, name=f"helper {i}") for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    trace = prof.trace
    assert [lane.label for lane in trace.lanes] == ["MainThread", "helper 0", "helper 1", "helper 2"]
    assert all(lane.kind == "python" and lane.thread for lane in trace.lanes)
    assert trace.events["lane"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert trace.events["parent"].tolist() == [-1, 0, -1, 2, -1, 4, -1, 6]


def test_profiles_start_and_stop_while_other_threads_launch():
    operators, done = Operators(add=plan_of(launch=launch_of(lambda plan, args: 0, 0))), threading.Event()

    def work():
        while not done.is_set():
            operators.call("add")

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(30):
            with profile(capacity=64, with_stack=True) as prof:
                operators.call("add")
            assert len(prof.trace) >= 1
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_the_oldest_events_are_dropped():
    operators = Operators(add=plan_of())
    with profile(capacity=100) as prof:  # rounded up to 128
        for number in range(1000):
            operators.call("add", number, 0, 0, 0)
    assert prof.trace.dropped == 1000 - 128
    assert prof.trace.events["value"].tolist() == list(range(872, 1000))


def test_sequence_numbers_connect_forward_and_backward(monkeypatch):
    """Launches draw numbers from the counter of nodes: those of a node and its launch are equal in a trace."""
    from itertools import count

    counter = count(10)
    monkeypatch.setitem(sys.modules, "facula_autograd.extend.nodes", type(sys)("nodes"))
    sys.modules["facula_autograd.extend.nodes"].next_seq = counter.__next__
    operators = Operators(add=plan_of(), mul=plan_of("mul"), copy=plan_of("copy", inputs=(LAYOUT,)))
    with profile() as prof:
        operators.call("add")
        node = next(counter)
        operators.call("mul")
        next(counter)
        late = next(counter)
        operators.call("copy")  # without a gradient
        view = next(counter)
        operators.call("copy")
        clone = next(counter)
        recording = running()
        rules = {clone: "CloneBackward0", view: "ViewBackward0", late: "AddBackward0", node: "AddBackward0"}
        for number, name in rules.items():
            start = recording.now()
            recording.event(Kind.BACKWARD, name, start, recording.now(), seq=number)
    events = prof.trace.events
    assert events["seq"].tolist() == [node, late - 1, -1, clone, *rules]
    assert events["link"].tolist() == [-1, -1, -1, -1, 3, -1, -1, 0]


def test_open_ranges_end_with_the_recording():
    with profile() as prof:
        outer = record_function("outer")
        outer.__enter__()
        with record_function("inner"):
            pass
    outer.__exit__(None, None, None)
    assert names(prof.trace) == ["outer", "inner"] and prof.trace.events["parent"].tolist() == [-1, 0]


def test_a_child_records_nothing_or_its_own():
    operators = Operators(add=plan_of())
    with profile() as prof:
        operators.call("add")
        child = os.fork()
        if not child:
            code = 1
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    operators.call("add")
                    assert running() is None
                    prof.stop()
                    assert len(prof.trace) == 0
                    with profile() as own:
                        operators.call("add")
                    assert names(own.trace) == ["aten::add"]
                    code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        operators.call("add")
    assert names(prof.trace) == ["aten::add"] * 2


KILLED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from launch_testing import Operators, plan_of
from facula_profiler import profile, record_function
operators = Operators(add=plan_of(), mul=plan_of("mul"))
with profile(path={path!r}, capacity=256, with_stack=True):
    for number in range({count}):
        operators.call("add")
        with record_function("block"):
            operators.call("mul")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("count", [3, 500])
def test_a_killed_program_leaves_a_readable_trace(tmp_path, count):
    path = str(tmp_path / "run.events")
    script = textwrap.dedent(KILLED).format(tests=os.path.dirname(__file__), path=path, count=count)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    trace = recover(path)
    kept = min(3 * count, 256)
    assert len(trace) == kept and trace.dropped == 3 * count - kept
    assert set(names(trace)) == {"aten::add", "block", "aten::mul"}
    assert [lane.label for lane in trace.lanes] == ["MainThread"]
    launch = trace.of_kind(Kind.LAUNCH)[-1]
    assert trace.signatures[trace.events["signature"][launch]].shapes == ((2, 3), (2, 3))
    assert [frame.function for frame in trace.stacks[trace.events["stack"][launch]]] == ["Operators.call", "<module>"]
    trace.save(tmp_path / "saved")
    assert len(Trace.load(tmp_path / "saved")) == kept
    (tmp_path / "run.events").write_bytes(b"nothing")
    with raises(ValueError, "recover", "the records of a profile"):
        recover(path)


def test_recorders_reject_misuse(tmp_path):
    from facula_profiler import _recorder

    for arguments in (
        (),
        (3, None, 0, 0, None, None, None),
        (4, None, 0, 0, 5, None, None),
        (0,) * 7,
        (1 << 62,) + (None,) * 6,
    ):
        with pytest.raises((TypeError, ValueError)):
            _recorder.Recorder(*arguments)
    recorder = _recorder.Recorder(4, None, False, False, None, None, None)
    for call in (
        lambda: recorder.wrap(3, 0, 0), lambda: recorder.wrap(print), lambda: recorder.event(1),
        lambda: recorder.event(*"1234567890"), lambda: recorder.stacks("x"), lambda: _recorder.parents(b"", b"1", b""),
        lambda: _recorder.wrap_take(1), lambda: _recorder.wrap_block(), lambda: type(recorder)(2, x=3),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError)):
            call()
    assert recorder.event(1, 0, 0, 0, -1, -1, 0, -1, -1, -1) == -1  # not started
    recorder.start()
    with pytest.raises(RuntimeError, match="a recorder runs already"):
        _recorder.Recorder(4, None, False, False, None, None, None).start()
    recorder.stop()
    recorder.stop()
    assert recorder.contents() == (0, b"")
    with raises(FileNotFoundError, "profile", "choose another path"), profile(path=tmp_path / "none" / "x"):
        pass
    with raises(ValueError, "profile", "capacity", value=0), profile(capacity=0):
        pass
    assert running() is None


def test_parents_agree_with_a_search():
    """Compare with all pairs, for intervals of several lanes, empty and equal ones included."""
    from facula_profiler import _recorder

    random = np.random.default_rng(0)
    for _ in range(50):
        spans = []
        for lane in range(2):

            def split(low, high, lane=lane):
                spans.append((lane, low, high))
                if high - low > 2:
                    middle = int(random.integers(low + 1, high))
                    split(low, middle)
                    split(middle, high)

            split(0, 20)
        spans.sort(key=lambda span: (span[0], span[1], -span[2]))
        lanes, starts, ends = (
            np.array(column, dtype) for column, dtype in zip(zip(*spans, strict=True), ("i4", "i8", "i8"), strict=True)
        )
        found = np.frombuffer(_recorder.parents(lanes, starts, ends), "i4")
        for place, (lane, start, end) in enumerate(spans):
            around = [
                other
                for other in range(place)
                if spans[other][0] == lane and spans[other][1] <= start and spans[other][2] >= end
            ]
            assert found[place] == (around[-1] if around else -1)


def test_names_that_no_record_has_are_dropped():
    """Names are bounded like the records, and those of kept records, open ranges and labels stay."""
    with profile(capacity=256) as prof:
        kept = running()
        label = kept.label(Kind.KERNEL, "labelled")
        with record_function("around"):
            for i in range(30_000):
                with record_function(f"step {i}"):
                    pass
        assert len(kept._names._numbers) < 3 * 4096 and kept.label(Kind.KERNEL, "labelled") == label
        with record_function("step 7"):
            pass
    assert names(prof.trace) == [
        "around",
        *[f"step {i}" for i in range(30_000 - 254, 30_000)],
        "step 7",
    ]
