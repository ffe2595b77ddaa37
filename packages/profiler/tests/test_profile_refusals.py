"""Wrong arguments and misuse of profiles are refused before anything is recorded."""

import pytest

from facula_errors.testing import raises
from facula_profiler import (
    ProfilerAction,
    ProfilerActivity,
    kineto_available,
    profile,
    record_function,
    schedule,
    supported_activities,
)
from facula_profiler._recording.recording import running


def test_misuse_is_refused():
    for argument in ("experimental_config", "execution_trace_observer"):
        with raises(NotImplementedError, "profile", argument):
            profile(**{argument: object()})
    with raises(TypeError, "profile", "ProfilerActivity", value="'cpu'"):
        profile(activities=["cpu"])
    with raises(TypeError, "profile", "activities, a list", value="<ProfilerActivity.CPU: 0>"):
        profile(activities=ProfilerActivity.CPU)
    with raises(ValueError, "profile", "activities"):
        profile(activities=[])
    with raises(TypeError, "profile", "schedule", value=3):
        profile(schedule=3)
    with raises(RuntimeError, "step", "use `with`"):
        profile().step()
    with raises(RuntimeError, "profile", "a trace", "no step has been recorded"):
        profile().key_averages()
    with raises(RuntimeError, "add_metadata", "call start first"):
        profile().add_metadata("a", "b")
    with raises(ValueError, "preset_metadata_json", "JSON", value="'{'"):
        profile().preset_metadata_json("a", "{")
    with raises(RuntimeError, "export_stacks", "with_stack=True"), profile() as prof:
        prof.export_stacks("x")
    with pytest.warns(UserWarning, match="profile: XPU is not available"):
        profile(activities=[ProfilerActivity.CPU, ProfilerActivity.XPU])
    with (
        raises(TypeError, "step", "schedule", "ProfilerAction", value=5),
        profile(schedule=lambda step: 5 if step else ProfilerAction.NONE) as prof,
    ):
        prof.step()
    assert running() is None
    assert kineto_available() and ProfilerActivity.CPU in supported_activities()


def test_wrong_arguments(tmp_path):
    with raises(TypeError, "profile", "schedule", "ProfilerAction", value=2):
        profile(schedule=lambda step: 2)
    with raises(TypeError, "record_function", "name", value=5):
        record_function(5)
    for wrong in ({"wait": 0.5}, {"active": "a"}, {"warmup": None}):
        with raises(TypeError, "schedule", next(iter(wrong))):
            schedule(**{"wait": 0, "warmup": 0, "active": 1, **wrong})
    for capacity in (1 << 41, 1 << 70, True):
        with raises(ValueError, "profile", "capacity"), profile(capacity=capacity):
            pass
    with profile() as prof, raises(ValueError, "add_metadata_json", "JSON", value="'NaN'"):
        prof.add_metadata_json("n", "NaN")
    with prof, raises(TypeError, "add_metadata", "texts", value=2.5):
        prof.add_metadata("n", 2.5)
    with raises(TypeError, "key_averages", "group_by_stack_n", value="'a'"):
        prof.key_averages(group_by_stack_n="a")
    for table in (prof.events().table, prof.key_averages().table):
        with raises(TypeError, "table", "row_limit", value="'a'"):
            table(row_limit="a")
