"""The bottleneck of built traces: one for each verdict, with its evidence and remedies."""

import numpy as np
import pytest
from built_traces import US, Builder
from hypothesis import given
from hypothesis import strategies as st
from trace_testing import event_array

from facula_errors.testing import raises
from facula_profiler import MEMORY, Kind, Peaks, Summary, Trace, measured_peaks
from facula_profiler._summary.intervals import measure, overlap

PEAKS = Peaks(100e9, 10e9)  # 100 operations and 10 bytes a nanosecond
POOL, WORKER, STREAM = ("pool", "thread 1"), ("loader", "worker 0"), ("device", "stream 0")


def launches(built, count, gap, length, start=0, **figures):
    """Add launches of a length with gaps in between; return the end."""
    for _ in range(count):
        start += gap
        built.add(Kind.LAUNCH, start, start + length, "mul", **figures)
        start += length
    return start


def summary(built, **others):
    found = Summary(built.trace(), PEAKS, **others)
    assert sum(found.shares.parts.values()) == found.shares.examined
    return found


def test_input():
    built = Builder()
    for step in range(4):
        at = step * 1000 * US
        built.add(Kind.STEP, at, at + 1000 * US, "step")
        built.add(Kind.WAIT, at, at + 800 * US, "wait")
        launches(built, 10, 5 * US, 10 * US, at + 800 * US, shapes=((8,),), nbytes=90_000)
    found = summary(built)
    assert found.bottleneck == "input" and found.share("input") == 0.8
    assert found.evidence[0].startswith("The program waited 4 times for its data loader, 3.2 ms in all")
    assert "num_workers=4" in found.remedies[0]  # 0.8 of the time is four times the rest
    for step in range(4):
        at = step * 1000 * US
        built.add(Kind.FETCH, at, at + 1000 * US, "fetch", WORKER)
    found = summary(built)
    assert found.evidence[1] == "1 loader worker made batches for 100% of the time."
    assert "num_workers=5" in found.remedies[0]
    text = str(found)
    assert text.startswith("Bottleneck: input: the program waits for its data (80% of the time)\n4 ms in 4 steps\n")
    assert "* The program waited" in text and "mul" in text


def test_data_that_is_read_by_the_program_itself_is_input():
    built = Builder()
    built.add(Kind.WAIT, 0, 900 * US, "wait")
    launches(built, 20, 5 * US, 30 * US, 0, nbytes=1000)  # within the wait: of a dataset
    launches(built, 1, 0, 100 * US, 900 * US, shapes=((8,),), nbytes=1_000_000)
    assert summary(built).shares.parts["input"] == 900 * US


def test_interpreter():
    built = Builder()
    end = launches(built, 1000, 5 * US, 1 * US, shapes=((8,),), nbytes=64, seq=3)
    found = summary(built)
    assert found.bottleneck == "interpreter"
    # The first launch starts the trace; launches of 1 µs for 6.4 ns of memory traffic are a fixed cost.
    assert found.shares.parts["interpreter"] == end - 5 * US
    assert "1,000 launches took 1 µs (median), with 5 µs of Python before each" in found.evidence[0]
    assert [sentence.partition(":")[0] for sentence in found.remedies] == [
        "No backward pass ran", "Replay the step without Python", "Use larger batches",
    ]  # fmt: skip
    built.add(Kind.REPLAY, end, end + 10 * US, "step")
    assert not any("Replay" in sentence for sentence in summary(built).remedies)
    built = Builder()
    built.add(Kind.RANGE, 0, 100, "preprocess")
    found = summary(built)
    assert found.bottleneck == "interpreter" and "cProfile" in found.remedies[0]


def test_memory():
    built = Builder()
    launches(built, 100, 1 * US, 100 * US, shapes=((8,),), nbytes=900_000, flops=1000)
    found = summary(built)
    assert found.bottleneck == "memory" and found.share("memory") == pytest.approx(100 / 101, abs=0.001)
    assert found.evidence == ["Most of it: mul 10 ms.", "These kernels move 9 GB/s: 90% of the machine's 10 GB/s."]
    (row,) = found.operators()
    assert (row.calls, row.own, row.bound, row.nbytes) == (100, 10_000 * US, "memory", 90e6)
    assert row.efficiency == pytest.approx(0.9)
    built.add(Kind.LAUNCH, 20_000 * US, 25_000 * US, "log_softmax", shapes=((8,),), nbytes=50_000_000)
    assert "cross_entropy" in summary(built).remedies[0]


def test_steps_without_events_are_left_out():
    built = Builder()
    for start, end in ((0, 1000), (1000, 2000), (2000, 2500)):
        built.add(Kind.STEP, start, end, "step")
        if end < 2500:
            built.add(Kind.LAUNCH, start, end - 100, "mul")
    shares = summary(built).shares
    assert (shares.steps, shares.examined) == (2, 2000)


def test_figures_for_an_element_are_multiplied_by_the_elements():
    built = Builder()
    built.add(Kind.LAUNCH, 0, 100 * US, "mul", nbytes=12, flops=1, value=50_000)
    (row,) = summary(built).operators()
    assert (row.nbytes, row.flops) == (600_000, 50_000)


@pytest.mark.parametrize(
    ("operations", "remedy"), [(9_000_000, "reach the machine's speed"), (2_000_000, "larger batches")]
)
def test_arithmetic(operations, remedy):
    built = Builder()
    launches(built, 100, 1 * US, 100 * US, shapes=((8, 8),), nbytes=1000, flops=operations)
    found = summary(built)
    assert found.bottleneck == "arithmetic" and remedy in found.remedies[0]
    assert f"{operations / 100_000_00 * 100:.0f}% of the machine's 100 GFLOP/s" in found.evidence[1]


def test_idle_pool_threads():
    built = Builder()
    end = launches(built, 100, 1 * US, 100 * US, shapes=((8, 8),), nbytes=1000, flops=5_000_000)
    built.add(Kind.TASK, 0, end // 5, "task", POOL)
    found = summary(built)
    assert found.shares.pool_busy == pytest.approx(0.2, rel=0.02)
    assert "Threads of the pool worked for 20% of the kernels' time." in found.evidence
    assert "fewer threads" in found.remedies[0]


def test_waiting():
    built = Builder()
    end = launches(built, 10, 5 * US, 10 * US, shapes=((8,),), nbytes=90_000)
    built.add(Kind.SYNCHRONIZE, end, end + 1000 * US, "synchronize")
    built.add(Kind.COLLECTIVE, end + 1000 * US, end + 1500 * US, "all_reduce")
    found = summary(built)
    assert found.bottleneck == "waiting"
    assert found.evidence == [
        "1 wait for a device: 1 ms.",
        "1 exchange with other processes: 500 µs (30% of the time).",
        "Most of it: all_reduce 500 µs.",
    ]
    assert "item()" in found.remedies[0] and "gradient accumulation" in found.remedies[1]


def test_replays():
    built = Builder()
    for start in range(0, 1000 * US, 100 * US):
        built.add(Kind.REPLAY, start, start + 80 * US, "step")
        built.add(Kind.KERNEL, start + 10 * US, start + 70 * US, "mul", shapes=((8,),), nbytes=500_000)
    parts = summary(built).shares.parts
    assert parts["memory"] == 600 * US and parts["interpreter"] == 380 * US and parts["kernels"] == 0
    found = summary(built)
    assert found.bottleneck == "memory" and not any("capture" in sentence for sentence in found.remedies)


def test_a_busy_device_hides_the_host():
    built = Builder()
    for place in range(100):
        launch = built.add(Kind.LAUNCH, place * 10 * US, place * 10 * US + 2 * US, "mm", flops=900_000, shapes=((8,),))
        built.add(Kind.KERNEL, place * 10 * US + 1 * US, place * 10 * US + 10 * US, "gemm", STREAM, link=launch)
    built.add(Kind.SYNCHRONIZE, 992 * US, 1000 * US, "synchronize")
    found = summary(built)
    assert found.bottleneck == "arithmetic" and found.share("arithmetic") == pytest.approx(0.9, abs=0.01)
    (row, _) = found.operators()  # a launch's row contains the time of its kernels
    assert (row.name, row.calls, row.own, row.device, row.flops) == ("mm", 100, 200 * US, 900 * US, 90e6)


def test_unknown_work():
    built = Builder()
    end = launches(built, 10, 1 * US, 10 * US)
    built.add(Kind.COLLECTIVE, end, end + 50 * US, "gloo:all_reduce")
    found = summary(built)
    assert found.evidence[:2] == [
        "Most of it: mul 100 µs.",
        "1 exchange with other processes: 50 µs (31% of the time).",
    ]
    assert found.bottleneck == "kernels" and "record_shapes=True" in found.remedies[0]


def test_empty_traces():
    found = Summary(Trace(event_array(), np.zeros(0, MEMORY), [], []), PEAKS)
    assert found.bottleneck == "nothing" and found.operators() == found.modules() == found.lines() == []
    assert str(found).startswith("Bottleneck: nothing: the trace contains no events")


def test_peaks():
    peaks = measured_peaks()
    assert peaks.flops > 1e8 and peaks.bandwidth > 1e8 and peaks is measured_peaks()
    trace = Builder().trace()
    for wrong in ((0, 1), (1,), "ab", (1e9, float("nan"))):
        with raises(ValueError, "Summary", "both positive", value=repr(wrong)):
            Summary(trace, wrong)


parts = st.lists(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=8), min_size=1, max_size=3)


@given(parts)
def test_measures_agree_with_sets_of_points(parts):
    arrays = [tuple(np.array([(a, a + n) for a, n in part], np.int64).reshape(-1, 2).T) for part in parts]
    points = [{point for a, n in part for point in range(a, a + n)} for part in parts]
    assert measure(*arrays) == len(set().union(*points))
    assert overlap(arrays[0], arrays[-1]) == len(points[0] & points[-1])


def test_kernels_far_below_the_roofline():
    built = Builder()
    launches(built, 10, 1 * US, 1000 * US, shapes=((8,),), nbytes=100_000)
    found = summary(built)
    assert found.bottleneck == "memory" and found.remedies[0].startswith("Kernels reach 1% of the machine's speed")
