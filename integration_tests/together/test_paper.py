"""The figures of the paper: from a small run on the CPU, as valid SVG, with the driver calls that were counted."""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

from benchmarks.paper import figures, runs
from facula_profiler import Kind


def titles(drawing):
    root = ElementTree.fromstring(drawing)
    return [one.text for one in root.iter("{http://www.w3.org/2000/svg}title")], "".join(root.itertext())


def test_first_operators():
    trace = runs.first_operators("cpu", 1, 32)
    shown, text = titles(figures.operators(trace, "<ResNet-50>"))
    names = [trace.names[name] for name in trace.events["name"][trace.of_kind(Kind.LAUNCH)][: figures.LAUNCHES]]
    assert [one.partition(",")[0] for one in shown][: len(names)] == names
    assert names[0] == "aten::conv2d" and "First operators of <ResNet-50>" in text
    in_order, text = titles(figures.operators(trace, "ResNet-50", in_order=True))
    assert len(in_order) == len(shown) and "without times" in text


def test_driver_calls():
    launches = [(0.0, 0.2, "aten::add"), (0.3, 0.9, "aten::mul")]
    found = [runs.Iteration(1.0, launches, [0.1, 0.1], 2), runs.Iteration(0.5, launches, [], 0)]
    shown, text = titles(figures.driver_calls(found, "ResNet-50"))
    assert shown == ["aten::add", "aten::mul"] * 2
    assert "2 driver calls" in text and "0 driver calls" in text and "500 ms" in text


def test_driver_calls_belong_to_launches():
    trace = runs.first_operators("cpu", 1, 32)
    count = len(trace.of_kind(Kind.LAUNCH))
    requests = [5, 7, *[7] * (count - 1)]  # two requests before the first launch
    found = runs.iteration_of(trace, 1.0, requests, 8)
    assert found.driver_calls == 3 and len(found.launches) == count
    assert found.calls == [found.launches[0][0]] * 2
