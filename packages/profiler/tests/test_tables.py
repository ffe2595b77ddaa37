"""Tables by operator, module and line agree with sums over events; comparisons; depths."""

from collections import Counter

import numpy as np
import pytest
from built_traces import US, Builder, many_events

from facula_errors.testing import raises
from facula_profiler import Kind, Summary, compare, profile, record_function
from facula_profiler._summary.columns import Columns
from facula_profiler._summary.units import amount, percent, seconds

PEAKS = (100e9, 10e9)


@pytest.mark.parametrize("seed", range(3))
def test_tables_agree_with_sums_over_events(seed):
    trace = many_events(3_000, seed)
    found, times = Summary(trace, PEAKS), trace.self_times().tolist()
    operators, shapes, modules, lines = Counter(), Counter(), Counter(), Counter()
    for event, own, module in zip(trace.events, times, trace.module_paths(), strict=True):
        if event["kind"] == Kind.LAUNCH:
            name, frame = trace.names[event["name"]], trace.stacks[event["stack"]][1]
            operators[name] += own
            shapes[name, event["signature"]] += own
            modules[module] += own
            lines[f"{frame.file}:{frame.line} {frame.function}"] += own
    assert {row.name: row.own for row in found.operators()} == operators
    assert sorted(row.own for row in found.operators(shapes=True)) == sorted(shapes.values())
    assert {row.name: row.own for row in found.modules()} == modules
    assert {row.name: row.own for row in found.lines()} == lines
    flops = sum(trace.signatures[event["signature"]].flops for event in trace.events if event["kind"] == Kind.LAUNCH)
    assert sum(row.flops for row in found.operators()) == flops
    assert [row.own for row in found.operators()] == sorted(operators.values(), reverse=True)


def test_depths_count_enclosing_events():
    built = Builder()
    for depth in range(40):
        built.add(Kind.RANGE, depth, 1000 - depth, "r")
    built.add(Kind.RANGE, 1500, 1600, "r")
    assert Columns(built.trace()).depths.tolist() == [*range(40), 0]


def test_rows_name_shapes():
    built = Builder()
    built.add(Kind.LAUNCH, 0, 10, "linear", shapes=((8, 4), (2, 4), (2,)), flops=128)
    built.add(Kind.LAUNCH, 20, 30, "linear", shapes=((9, 4), (2, 4), (2,)), flops=144)
    found = Summary(built.trace(), PEAKS)
    assert [row.detail for row in found.operators()] == ["launch"]
    assert sorted(row.detail for row in found.operators(shapes=True)) == [
        "float32[8, 4] float32[2, 4] float32[2]", "float32[9, 4] float32[2, 4] float32[2]",
    ]  # fmt: skip


def run(exp, add, calls=1):
    built = Builder()
    built.add(Kind.STEP, 0, 1000 * US, "step")
    built.add(Kind.MODULE, 0, 500 * US, "Net.fc")
    built.add(Kind.LAUNCH, 0, exp * US, "exp", nbytes=8)
    for call in range(calls):
        built.add(Kind.LAUNCH, (600 + 30 * call) * US, (600 + 30 * call + add) * US, "add", nbytes=8)
    return built.trace()


def test_comparisons():
    found = compare(run(100, 5), run(80, 5, calls=3), peaks=PEAKS)
    assert [(row.name, row.calls_before, row.calls_after, row.change) for row in found.operators] == [
        ("exp", 1, 1, -20 * US), ("add", 1, 3, 10 * US),
    ]  # fmt: skip
    assert [(row.name, row.change) for row in found.modules] == [("Net.fc", -20 * US), ("(outside modules)", 10 * US)]
    assert compare(run(100, 5), run(80, 5, calls=3), "calls", PEAKS).operators[0].name == "add"
    assert compare(run(1, 5), run(80, 5), "time", PEAKS).operators[0].name == "exp"
    text = str(found)
    assert "per step    1 ms -> 1 ms" in text and "-20 µs (-20%)" in text and "1 -> 3" in text
    # A trace compared with itself has no changes, and operators of one trace alone are listed.
    same = compare(run(1, 2), run(1, 2), peaks=PEAKS)
    assert {row.change for row in same.operators} == {0}
    gone = compare(run(1, 2), Builder().trace(), peaks=PEAKS)
    assert {(row.name, row.after) for row in gone.operators} == {("exp", 0), ("add", 0)}
    with raises(ValueError, "compare", "sort_by", value="'size'"):
        compare(run(1, 2), run(1, 2), "size")
    with raises(TypeError, "compare", "after to be a Trace", value="3"):
        compare(run(1, 2), 3)


def test_figures_as_text():
    assert [seconds(value) for value in (0, 999, 1500, 61e9, -2.5e6)] == ["0 ns", "999 ns", "1.5 µs", "61 s", "-2.5 ms"]
    assert [amount(value, "B") for value in (0, 999, 1e3, 1234567, 9999e12)] == [
        "0 B", "999 B", "1 kB", "1.23 MB", "9999 TB",
    ]  # fmt: skip
    assert [percent(value) for value in (0, 0.0041, 0.5, 1.25)] == ["0%", "0.4%", "50%", "125%"]
    assert np.isfinite(float(seconds(1e30).split()[0]))


def test_html_reprs():
    with profile() as prof:
        assert prof._repr_html_() is None  # the plain repr while it runs
        with record_function("<work>"):
            pass
    for found in (prof, prof.trace, prof.key_averages()):
        shown = found._repr_html_()
        assert shown.count("<tr>") == 2 and "&lt;work&gt;" in shown and "Self CPU time total" in shown
    assert "Bottleneck" in prof.summary((1e9, 1e9))._repr_html_()
