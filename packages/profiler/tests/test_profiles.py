"""Profiles under PyTorch's names: schedules, handlers, averages, tables and files."""

import gzip
import json
import threading

import launch_testing
import pytest
from launch_testing import LAYOUT, OTHER, Operators, plan_of

from facula_errors.testing import raises
from facula_profiler import (
    ProfilerAction,
    ProfilerActivity,
    profile,
    record_function,
    schedule,
    tensorboard_trace_handler,
)
from facula_profiler._recording import stacks
from facula_profiler._recording.recording import running
from facula_profiler.extend import give_way


@pytest.fixture
def operators():
    return Operators(add=plan_of(), linear=plan_of("linear"), exp=plan_of("exp", inputs=(OTHER,), outputs=(OTHER,)))


def keys(prof):
    return {one.key: one.count for one in prof.key_averages()}


def test_schedules():
    """Compare with PyTorch's actions."""
    plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    assert (
        "".join(plan(step).name[0 if plan(step).name != "RECORD_AND_SAVE" else 6] for step in range(11))
        == "NNWR_NWR_NN"
    )
    plan = schedule(wait=2, warmup=0, active=1, skip_first_wait=1)
    assert [plan(step).name for step in range(4)] == ["RECORD_AND_SAVE", "NONE", "NONE", "RECORD_AND_SAVE"]
    for wrong in ({"wait": -1}, {"active": 0}, {"repeat": -2}):
        with raises(ValueError, "schedule", next(iter(wrong))):
            schedule(**{"wait": 0, "warmup": 0, "active": 1, **wrong})


@pytest.mark.parametrize("accumulates", [False, True])
def test_steps_and_handlers(operators, accumulates):
    ready = []
    with profile(
        schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
        on_trace_ready=lambda prof: ready.append((prof.step_num, keys(prof))),
        acc_events=accumulates,
    ) as prof:
        for _ in range(10):
            operators.call("add")
            prof.step()
    once, twice = {"ProfilerStep*": 2, "aten::add": 2}, {"ProfilerStep*": 4, "aten::add": 4}
    assert ready == [(4, once), (8, twice if accumulates else once)]
    assert keys(prof) == (twice if accumulates else once)
    steps = [event.name for event in prof.events() if event.name.startswith("Prof")]
    assert steps[-2:] == ["ProfilerStep#6", "ProfilerStep#7"]
    starts = [event.time_range.start for event in prof.events()]
    assert starts == sorted(starts)


def test_without_a_schedule_everything_is_one_trace(operators):
    ready = []
    with profile(on_trace_ready=ready.append) as prof:
        for _ in range(3):
            operators.call("add")
            prof.step()
    assert ready == [prof] and keys(prof) == {"aten::add": 3}


def test_an_error_of_the_handler_leaves_a_profile_that_continues(operators):
    def handler(prof):
        raise ZeroDivisionError

    prof = profile(schedule=schedule(wait=0, warmup=0, active=1, repeat=2), on_trace_ready=handler)
    prof.start()
    operators.call("add")
    with pytest.raises(ZeroDivisionError):
        prof.step()
    assert prof.current_action is ProfilerAction.RECORD_AND_SAVE and running() is not None
    operators.call("linear")
    with pytest.raises(ZeroDivisionError):
        prof.stop()
    assert running() is None and keys(prof) == {"ProfilerStep*": 1, "aten::linear": 1}
    prof.stop()


def test_a_handler_can_stop_the_profile(operators):
    ready = []

    def handler(prof):
        ready.append(keys(prof))
        prof.stop()

    prof = profile(schedule=schedule(wait=0, warmup=0, active=1, repeat=3), on_trace_ready=handler)
    for count in (1, 2):
        prof.start()
        operators.call("add")
        prof.step()
        assert running() is None and ready == [{"ProfilerStep*": 1, "aten::add": 1}] * count


def test_errors_of_the_program_pass_through(operators):
    with pytest.raises(ZeroDivisionError), profile() as prof, record_function("block"):
        operators.call("add")
        raise ZeroDivisionError
    assert keys(prof) == {"block": 1, "aten::add": 1}


def test_a_second_profile_is_refused(operators):
    with profile() as prof:
        with raises(RuntimeError, "profile", "no other profile", "stop it first"), profile():
            pass
        operators.call("add")
    assert keys(prof) == {"aten::add": 1}
    with raises(RuntimeError, "start", "call stop first"), profile() as prof:
        prof.start()


def test_a_dropped_profile_blocks_no_other(operators):
    profile().start()
    with profile() as prof:
        operators.call("add")
    assert keys(prof) == {"aten::add": 1} and running() is None


def test_a_profile_that_gives_way_continues(operators):
    with profile() as outer:
        pass
    give_way(outer)
    with outer:
        operators.call("add")
        with pytest.warns(UserWarning, match="pauses until it ends"), profile(profile_memory=True) as prof:
            operators.call("linear")
        operators.call("exp")
    assert keys(prof) == {"aten::linear": 1} and keys(outer) == {"aten::add": 1, "aten::exp": 1}
    assert running() is None


def test_a_program_that_stops_during_warmup_has_an_empty_trace(tmp_path):
    with profile(schedule=schedule(wait=0, warmup=1, active=1)) as prof:
        pass
    assert len(prof.key_averages()) == 0
    prof.export_chrome_trace(tmp_path / "t.json")
    json.loads((tmp_path / "t.json").read_text())


def test_metadata_named_sizes():
    with profile(profile_memory=True) as prof:
        prof.add_metadata("sizes", "x")
        running().categorize({64: ("parameter", 8, -1)})
    assert prof.trace.metadata["sizes"] == "x"


def test_metadata(operators):
    prof = profile(custom_trace_id_callback=lambda: "run 7")
    prof.preset_metadata_json("model", '{"width": 3}')
    with prof:
        prof.add_metadata("note", "x")
        prof.add_metadata_json("numbers", "[1, 2]")
    found = prof.trace.metadata
    assert (found["model"], found["note"], found["numbers"]) == ({"width": 3}, "x", [1, 2])
    assert prof.get_trace_id() == found["trace_id"] == "run 7"


def test_collection_is_paused(operators):
    with profile() as prof:
        operators.call("add")
        prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
        operators.call("linear")
        prof.toggle_collection_dynamic(True, {ProfilerActivity.CPU})
        operators.call("add")
    assert keys(prof) == {"aten::add": 2}


def test_ranges(operators):
    @record_function("function", "7")
    def work(n):
        """Work."""
        return work(n - 1) + 1 if n else 0

    assert work(3) == 3 and work.__doc__ == "Work."
    with profile() as prof:
        assert work(2) == 2
    assert keys(prof) == {"function: 7": 3}
    events = prof.events()
    assert events[1].cpu_parent == events[0] and events[0].cpu_children == [events[1]] and events[0].cpu_parent is None
    assert events[0].is_user_annotation and events[0].cpu_time_total >= events[1].cpu_time_total


def test_a_range_may_be_entered_again_before_it_ends(operators):
    shared, entered, left = record_function("shared"), threading.Event(), threading.Event()

    def work():
        with shared:
            entered.set()
            left.wait(60)

    with profile() as prof:
        thread = threading.Thread(target=work)
        with shared:
            thread.start()
            entered.wait(60)
            with shared:
                operators.call("add")
            operators.call("add")
        left.set()
        thread.join()
        operators.call("add")
    main = [event for event in prof.events() if event.thread == prof.events()[0].thread]
    around = [event.cpu_parent.id if event.cpu_parent else None for event in main]
    assert around == [None, 0, 1, 0, None] and keys(prof) == {"shared": 3, "aten::add": 3}


def test_averages_agree_with_events(operators):
    with profile(record_shapes=True, with_flops=True, with_stack=True) as prof:
        for _ in range(3):
            with record_function("outer"):
                operators.call("add")
                operators.call("exp", 5, 64, 128)
        operators.call("add")
    events = prof.events()
    averages = {one.key: one for one in prof.key_averages()}
    assert list(averages) == ["outer", "aten::add", "aten::exp"]
    for key, one in averages.items():
        mine = [event for event in events if event.key == key]
        assert one.count == len(mine)
        for name in ("cpu_time_total", "self_cpu_time_total", "flops", "cpu_memory_usage"):
            assert getattr(one, name) == pytest.approx(sum(getattr(event, name) for event in mine))
        assert one.cpu_time == pytest.approx(one.cpu_time_total / one.count)
    assert averages["aten::add"].flops == 24 and averages["aten::exp"].flops == 15
    total = prof.key_averages().total_average()
    assert total.count == len(events) == 10
    assert total.self_cpu_time_total == pytest.approx(prof.key_averages().self_cpu_time_total)
    assert events.self_cpu_time_total == pytest.approx(total.self_cpu_time_total)
    by_shape = prof.key_averages(group_by_input_shape=True)
    assert [one.input_shapes for one in by_shape] == [[], [[2, 3], [2, 3]], [[5]]]
    assert {one.key: one.count for one in prof.key_averages(group_by_stack_n=2)} == {
        "outer": 3, "aten::add": 1, "aten::exp": 3}  # fmt: skip
    assert len(prof.key_averages(group_by_stack_n=2)) == 4  # two lines call add


def test_groups_by_stacks_ignore_frames_of_the_library(operators, monkeypatch):
    """The program's line distinguishes launches, however many frames of facula are inside."""
    call, library = operators.call, (stacks.__file__, launch_testing.__file__)
    monkeypatch.setattr(stacks, "library_folders", lambda: library)
    with profile(with_stack=True) as prof:
        for _ in range(2):
            call("add")
        call("add")
    found = prof.key_averages(group_by_stack_n=1)
    assert [(one.count, "test_groups_by_stacks" in one.stack[0]) for one in found] == [(2, True), (1, True)]


def test_moves_have_no_flops():
    shaped, any_size = plan_of("index_select"), plan_of("fill", inputs=(LAYOUT,), outputs=(), any_size=True)
    operators = Operators(index_select=shaped, fill=any_size, add=plan_of(outputs=(), any_size=True))
    with profile(with_flops=True) as prof:
        for name in operators.tables:
            operators.call(name)
    assert [(event.name, event.flops) for event in prof.events()] == [
        ("aten::index_select", 0), ("aten::fill_", 0), ("aten::add", 6)]  # fmt: skip


def test_names_with_line_breaks_stay_in_their_row(operators):
    with profile() as prof, record_function("first\nsecond\tthird"):
        operators.call("add")
    for text in (prof.key_averages().table(), prof.events().table()):
        assert "first\\nsecond\\tthird" in text and "\nsecond" not in text


def test_shapes_and_flops_appear_on_request(operators):
    with profile() as prof:
        operators.call("linear")
    (event,) = prof.events()
    assert event.input_shapes == [] and event.flops == 0
    assert "Input Shapes" not in str(prof.key_averages(group_by_input_shape=True))


def test_tables(operators):
    with profile(record_shapes=True, with_flops=True) as prof:
        for _ in range(2):
            with record_function("a" * 80):
                operators.call("add")
        operators.call("exp")
    table = prof.key_averages(group_by_input_shape=True).table(
        sort_by="count", row_limit=2, header="steps", time_unit="ms", max_name_column_width=20
    )
    lines = table.splitlines()
    assert lines[0].strip() == "steps" and lines[-1].startswith("Self CPU time total: ")
    assert lines[2].split()[:3] == ["Name", "Self", "CPU"] and "Input Shapes" in lines[2]
    assert len(lines) == 8 and "a" * 17 + "..." in table and "aten::exp" not in table
    assert "aten::add" not in prof.key_averages().table(top_level_events_only=True)
    assert str(prof.key_averages()).count("aten::") == 2
    assert "aten::exp" in str(prof.events())
    with raises(ValueError, "table", "sort_by", value="'speed'"):
        prof.key_averages().table(sort_by="speed")
    with raises(ValueError, "table", "time_unit"):
        prof.key_averages().table(time_unit="h")
    with profile() as empty:
        pass
    assert empty.key_averages().table() == "" and len(empty.events()) == 0


@pytest.mark.parametrize("name", ["t.json", "t.json.gz"])
def test_chrome_traces(operators, tmp_path, name):
    with profile(record_shapes=True, with_stack=True, schedule=schedule(wait=0, warmup=0, active=1)) as prof:
        with record_function("block"):
            operators.call("linear")
    prof.export_chrome_trace(tmp_path / name)
    data = (tmp_path / name).read_bytes()
    trace = json.loads(gzip.decompress(data) if name.endswith("gz") else data)
    spans = {one["name"]: one for one in trace["traceEvents"] if one["ph"] == "X"}
    assert spans.keys() == {"ProfilerStep#0", "block", "aten::linear"}
    launch = spans["aten::linear"]
    assert launch["cat"] == "cpu_op" and launch["args"]["Input Dims"] == [[2, 3], [2, 3]]
    assert spans["block"]["ts"] <= launch["ts"] and launch["dur"] >= 0
    assert launch["tid"] == threading.get_native_id() and launch["args"]["Call stack"]
    assert trace["record_shapes"] and trace["schemaVersion"] == 1
    rows = [one["args"]["name"] for one in trace["traceEvents"] if one["name"] == "thread_name"]
    assert rows == ["MainThread (python)"]


def test_stacks_for_flame_graphs(operators, tmp_path):
    with profile(with_stack=True) as prof:
        for _ in range(100):
            operators.call("linear")
    prof.export_stacks(tmp_path / "stacks.txt")
    (line,) = (tmp_path / "stacks.txt").read_text().splitlines()
    frames, _, value = line.rpartition(" ")
    assert frames.split(";")[-1].endswith("Operators.call") and " " not in frames and int(value) >= 0
    with raises(TypeError, "export_stacks", "metric", value="'x'"):
        prof.export_stacks("x", "x")


def test_handlers_write_files(operators, tmp_path):
    folder = tmp_path / "runs" / "1"
    handler = tensorboard_trace_handler(str(folder), worker_name="worker", use_gzip=True)
    with profile(schedule=schedule(wait=0, warmup=0, active=1, repeat=2), on_trace_ready=handler) as prof:
        for _ in range(2):
            operators.call("add")
            prof.step()
    files = sorted(path.name for path in folder.iterdir())
    assert len(files) == 2 and all(name.startswith("worker.") and name.endswith(".pt.trace.json.gz") for name in files)
    (tmp_path / "file").write_text("")
    with (
        raises(OSError, "tensorboard_trace_handler"),
        profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path / "file"))),
    ):
        pass
