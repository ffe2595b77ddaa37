"""The figures of the paper: from small runs, as valid SVG, with the driver calls that were counted."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

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
    assert len(in_order) == len(shown) and "without times" in text and "simulated device" in text


def test_driver_calls():
    launches = [(0.0, 0.2, "aten::add"), (0.3, 0.9, "aten::mul")]
    found = [runs.Iteration(1.0, launches, [0.1, 0.1], 2), runs.Iteration(0.5, launches, [], 0)]
    shown, text = titles(figures.driver_calls(found, "ResNet-50"))
    assert shown == ["aten::add", "aten::mul"] * 2
    assert "2 driver calls" in text and "0 driver calls" in text and "500 ms" in text and "simulated" not in text
    assert "simulated device: kernels are counted, not run" in titles(figures.driver_calls(found, "", counted=True))[1]


def test_driver_calls_belong_to_launches():
    trace = runs.first_operators("cpu", 1, 32)
    count = len(trace.of_kind(Kind.LAUNCH))
    requests = [5, 7, *[7] * (count - 1)]  # two requests before the first launch
    found = runs.iteration_of(trace, 1.0, requests, 8)
    assert found.driver_calls == 3 and len(found.launches) == count
    assert found.calls == [found.launches[0][0]] * 2


SIMULATED = """
import json
import sys

sys.path.append(sys.argv[1])
import facula
import facula.nn as nn
from benchmarks.models.training import classification
from benchmarks.paper import figures, runs
from facula_cuda.testing import driver_calls


def make():
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))
    images, classes = facula.randn(64, 3, 128, 128), facula.randint(0, 10, (64,))
    return classification(facula, model, facula.optim.SGD(model.parameters(), 0.1, momentum=0.9), images, classes)


measured, counts = runs.driver_requests, []
MEMORY = "cuMemCreate", "cuMemRelease", "cuMemAlloc_v2", "cuMemFree_v2"
def counted(device):
    counts.append(sum(driver_calls()[name] for name in MEMORY))
    return measured(device)
runs.driver_requests = counted
with runs.without_kernels():
    steps = runs.iterations("cuda", make)
each = len(counts) // len(steps)  # reads in a step
found = {
    "requests": [step.driver_calls for step in steps],
    "ticks": [len(step.calls) for step in steps],
    "driver": [counts[(i + 1) * each - 1] - counts[i * each] for i in range(len(steps))],
    "launches": [[name for _, _, name in step.launches] for step in steps],
    "drawing": figures.driver_calls(steps, "simulated device", counted=True),
}
json.dump(found, sys.stdout)
"""


def test_later_iterations_call_no_driver():
    """Compare the requests of the allocator with the calls that a simulated driver counted."""
    pytest.importorskip("facula_cuda")
    environment = {**os.environ, "FACULA_CUDA_DRIVER": "simulated"}
    command = [sys.executable, "-c", SIMULATED, str(ROOT)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["requests"][0] > 0 and found["driver"][0] >= found["requests"][0]
    assert found["requests"][2:] == found["driver"][2:] == [0, 0]
    assert [bool(one) for one in found["requests"]] == [bool(one) for one in found["driver"]]
    assert found["ticks"] == found["requests"]  # each request belongs to a launch
    first, *later = found["launches"]
    assert all(names == later[0] for names in later) and set(first) - set(later[0]) == {"aten::fill_"}  # the momentum
    assert len(titles(found["drawing"])[0]) == sum(map(len, found["launches"]))
