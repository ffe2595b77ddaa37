"""Files that recordings write while they run: `profile(path=...)`."""

import os
import resource
import threading

import numpy as np
import pytest
from launch_testing import Operators, plan_of

from facula_errors import CorruptFileError
from facula_errors.testing import raises
from facula_profiler import Kind, ProfilerActivity, profile, record_function, recover, schedule
from facula_profiler._recording import stacks
from facula_profiler._recording.journal import SUFFIX, Journal
from facula_profiler._recording.raw import HEADER, HEADER_BYTES, RAW


def keys(prof):
    return {one.key: one.count for one in prof.key_averages()}


def test_a_path_can_be_used_again(tmp_path):
    """Check that the second profile, which has more events, leaves the first one's alone."""
    path = tmp_path / "run.events"
    with profile(path=path, capacity=16) as first, record_function("first"):
        pass
    with profile(path=path, capacity=1 << 12) as second:
        for _ in range(3000):
            with record_function("second"):
                pass
    assert keys(first) == {"first": 1}
    assert keys(second) == {"second": 3000}
    assert recover(path).names == ["second"]


def test_cycles_of_a_schedule_share_a_path(tmp_path):
    with profile(
        path=tmp_path / "run.events", acc_events=True, schedule=schedule(wait=0, warmup=0, active=1, repeat=3)
    ) as prof:
        for number in range(3):
            for _ in range(number + 1):
                with record_function(f"block {number}"):
                    pass
            prof.step()
    assert keys(prof).items() >= {"block 0": 1, "block 1": 2, "block 2": 3}.items()


def test_a_second_profile_leaves_the_file_of_the_one_that_runs(tmp_path):
    path = tmp_path / "run.events"
    with profile(path=path), record_function("first"):
        with raises(RuntimeError, "profile", "no other profile to run"):
            profile(path=path).start()
    assert recover(path).names == ["first"]


def test_a_child_leaves_the_file_of_its_parent(tmp_path):
    path = tmp_path / "run.events"
    always = schedule(wait=0, warmup=0, active=1)
    with profile(path=path, schedule=always, capacity=16) as prof:
        child = os.fork()
        if not child:
            code = 1
            try:
                prof.step()
                with record_function("child"):
                    pass
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert recover(path).names == []
        with record_function("parent"):
            pass
        assert recover(path).names == ["parent"]


def test_the_whole_file_is_reserved(tmp_path):
    """Check that no write of an event needs space on the disk, for lack of which the system would kill the program."""
    path = tmp_path / "run.events"
    with profile(path=path, capacity=1 << 12):
        assert os.stat(path).st_blocks * 512 >= 64 << 12
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    try:
        with raises(OSError, "profile", "262,144 bytes", "a smaller capacity", str(path)):
            profile(path=path, capacity=1 << 12).start()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not path.exists()


def test_names_that_cannot_be_written_cost_no_launch(tmp_path):
    operators = Operators(add=plan_of(), mul=plan_of("mul"))
    with profile(path=tmp_path / "run.events") as prof:
        prof._recording._journal._file.close()
        prof._recording._journal._file = open("/dev/full", "wb", buffering=0)
        with pytest.warns(UserWarning, match="free space"):
            operators.call("add")
        operators.call("mul")  # warnings are errors
    assert keys(prof) == {"aten::add": 1, "aten::mul": 1}


def test_the_file_of_names_is_bounded(tmp_path):
    """Check that names without records leave the file, and that others keep their numbers."""
    path = tmp_path / "run.events"
    operators = Operators(add=plan_of())
    with profile(path=path, capacity=256) as prof, record_function("around"):
        operators.call("add")
        for number in range(30_000):
            with record_function(f"step {number}"):
                pass
        with open(f"{path}{SUFFIX}") as file:
            lines = file.readlines()
        assert len(lines) < 3 * 4096 and [line for line in lines if '"plan"' in line or '"around"' in line]
        assert recover(path).names == [f"step {number}" for number in range(30_000 - 256, 30_000)]
        operators.call("add")
    assert recover(path).names == prof.trace.names
    assert not os.path.exists(f"{path}{SUFFIX}.new")


def test_files_are_closed_at_the_end(tmp_path):
    with profile(path=tmp_path / "run.events"):
        pass
    targets = [os.path.realpath(f"/proc/self/fd/{one}") for one in os.listdir("/proc/self/fd")]
    assert not [one for one in targets if one.startswith(str(tmp_path))]


def in_thread(work, name):
    thread = threading.Thread(target=work, name=name)
    thread.start()
    thread.join()


def test_ranges_that_begin_while_paused_belong_to_their_thread():
    def work():
        with record_function("block"):
            prof.toggle_collection_dynamic(True, [ProfilerActivity.CPU])

    with profile() as prof:
        prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
        in_thread(work, "helper")
    assert [(lane.kind, lane.label) for lane in prof.trace.lanes] == [("python", "helper")]


def test_threads_that_allocate_first_have_names():
    from facula_profiler import _recorder

    def work():
        _, release = _recorder.wrap_block((64, lambda: None), 8, -1)
        release()

    with profile(profile_memory=True) as prof:
        in_thread(work, "helper")
    assert [lane.label for lane in prof.trace.lanes] == ["helper"]
    assert prof.trace.memory["nbytes"].tolist() == [8, -8]


def test_new_stacks_list_the_loaded_packages_once(tmp_path, monkeypatch):
    listed = []
    monkeypatch.setattr(stacks, "library_folders", lambda: listed.append(1) or ())
    operators = Operators(add=plan_of())
    program = compile("call('add')\n" * 50, "program", "exec")
    with profile(path=tmp_path / "run", with_stack=True):
        exec(program, {"call": operators.call})
        assert len(listed) <= 2
    assert {frame.line for stack in recover(tmp_path / "run").stacks for frame in stack} >= set(range(1, 51))


def test_an_interrupt_while_a_stack_is_written_is_raised_in_the_program(tmp_path, monkeypatch):
    def write(journal, kind, *values):
        if kind == "stack":
            raise KeyboardInterrupt

    operators = Operators(add=plan_of())
    with profile(path=tmp_path / "run", with_stack=True) as prof:
        monkeypatch.setattr(Journal, "write", write)
        with pytest.raises(KeyboardInterrupt):
            for _ in range(3):
                operators.call("add")
        monkeypatch.undo()
    assert keys(prof) == {"aten::add": 1}, "the launch itself has not failed"


def test_a_name_that_is_too_long_leaves_no_file(tmp_path):
    long = tmp_path / ("x" * (os.pathconf(tmp_path, "PC_NAME_MAX") - 3))
    with raises(OSError, "profile", "choose another path"), profile(path=long):
        pass
    assert not os.listdir(tmp_path), "the file of the records is removed"


@pytest.fixture
def killed(tmp_path):
    """Return the path of a recording with all kinds of lines in its file of names."""
    path = tmp_path / "killed"
    operators = Operators(add=plan_of())
    with profile(path=tmp_path / "run", capacity=16, with_stack=True) as prof:
        prof._recording.event(Kind.KERNEL, "kernel", 0, 1, lane=prof._recording.lane("device", "cuda:0"))
        with record_function("block"):
            operators.call("add")
    for suffix in ("", SUFFIX):
        os.rename(f"{tmp_path}/run{suffix}", f"{path}{suffix}")
    return str(path)


def test_names_that_are_cut_off_are_left_out(killed):
    with open(killed + SUFFIX, "rb") as file:
        data = file.read()
    assert {line.split(b'"')[1] for line in data.splitlines()} == {b"name", b"lane", b"thread", b"plan", b"stack"}
    for end in range(0, len(data), 5):
        with open(killed + SUFFIX, "wb") as file:
            file.write(data[:end])
        assert len(recover(killed)) == 3


@pytest.mark.parametrize(
    "line",
    [
        '["name", 0]', '["name", "0", "x"]', '["name", 1e99, "x"]', '["name", [], "x"]', '["name", 1000000000000, "x"]',
        '["name", -1, "x"]', "7", "{}", "null", "[]", '[[], 0, "x"]', '["none", 0, "x"]', "[" * 10_000,
        '["plan", 0, 5]', '["plan", 0, ["add", 5, [], [], 0, 0]]', '["plan", 0, ["add", null, [], [], Infinity, 0]]',
        '["stack", 0, ["f", 1, "g", false], 0]', '["stack", 0, ["f", 1], -1]', '["lane", 0, "device", "x", 0]',
        '["lane", 4096, "device"]', '["thread", 0, "x", null]', "\0\ufffd",
    ],
)  # fmt: skip
def test_damaged_lines_are_left_out(killed, line):
    with open(killed + SUFFIX, encoding="utf-8") as file:
        text = file.read()
    with open(killed + SUFFIX, "w", encoding="utf-8") as file:
        file.write(text.replace("\n", f"\n{line}\n") + line)
    trace = recover(killed)
    assert sorted(trace.names) == ["aten::add", "block", "kernel"]
    assert {lane.label for lane in trace.lanes} == {"MainThread", "cuda:0"}
    assert all(len(stack) < 256 for stack in trace.stacks)


@pytest.mark.parametrize(
    ("field", "value"), [("capacity", 0), ("capacity", -16), ("capacity", 1 << 62), ("count", (1 << 64) - 1)]
)
def test_damaged_headers_are_refused(killed, field, value):
    with open(killed, "r+b") as file:
        header = np.frombuffer(file.read(HEADER.itemsize), HEADER).copy()
        header[field] = value
        file.seek(0)
        file.write(header.tobytes())
    with raises(CorruptFileError, "recover", "the file is damaged", killed):
        recover(killed)


@pytest.mark.parametrize("value", [-(1 << 31), -7, 40, 5000, (1 << 31) - 1])
@pytest.mark.parametrize("field", ["name", "lane", "stack", "plan", "kind", "link"])
def test_damaged_records_are_repaired_or_left_out(killed, field, value):
    data = np.fromfile(killed, np.uint8)
    data[HEADER_BYTES:].view(RAW)[field][:3] = np.array(value).astype(RAW[field])
    data.tofile(killed)
    trace = recover(killed)
    assert (len(trace), trace.dropped) == ((0, 3) if field == "kind" else (3, 0))


def test_random_damage_is_refused_or_repaired(killed):
    """Check that only CorruptFileError is raised, and that every search ends."""
    random = np.random.default_rng(0)
    whole = {name: np.fromfile(name, np.uint8) for name in (killed, killed + SUFFIX)}
    for number in range(100):
        for name, data in whole.items():
            damaged = data[: data.size if number % 3 else random.integers(data.size)].copy()
            if damaged.size:
                damaged[random.integers(damaged.size, size=5)] = random.integers(256, size=5)
            damaged.tofile(name)
        try:
            recover(killed).summary((1e9, 1e9))
        except CorruptFileError:
            pass
