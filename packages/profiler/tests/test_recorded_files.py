"""Files that recordings write while they run: `profile(path=...)`."""

import os
import resource
import threading

import pytest
from launch_testing import Operators, plan_of

from facula_errors.testing import raises
from facula_profiler import ProfilerActivity, profile, record_function, recover, schedule


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
            with record_function(f"block {number}"):
                pass
            prof.step()
    assert {key for key in keys(prof) if "block" in key} == {"block 0", "block 1", "block 2"}


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
                with record_function("child"):
                    prof.step()
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with record_function("parent"):
            pass
        assert "parent" in recover(path).names
        assert "child" not in recover(path).names


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
