"""Lifetimes, categories and curves of memory, and files in PyTorch's formats."""

import gzip
import json
import random

import numpy as np
import pytest
from built_traces import US, Builder

from facula_errors.testing import raises
from facula_profiler import Kind, export_memory_timeline
from facula_profiler._memory.categories import CATEGORIES, categories_of
from facula_profiler._memory.lifetimes import BEFORE, FOREVER, lifetimes_of
from facula_profiler._memory.timeline import by_category, by_module
from facula_profiler._trace.records import SIZES


def training_step():
    """Return a builder with a block of each category."""
    built = Builder()
    built.add(Kind.STEP, 0, 1000, "step")
    module = built.add(Kind.MODULE, 20, 200, "Net.fc")
    rule = built.add(Kind.BACKWARD, 400, 600, "linear")
    adam = built.add(Kind.OPTIMIZER, 700, 800, "Adam.step")
    built.allocate(10, 0x100, 8)  # input
    built.allocate(30, 0x200, 16, module)  # activation: live when the backward pass starts
    built.allocate(40, 0x300, 32, module)  # temporary
    built.allocate(50, 0x300, -32)
    built.allocate(450, 0x300, 64, rule)  # gradient, at a reused address
    built.allocate(460, 0x400, 128, rule)  # temporary of the backward pass
    built.allocate(550, 0x400, -128)
    built.allocate(600, 0x200, -16)
    built.allocate(710, 0x500, 256, adam)  # optimizer state
    built.allocate(900, 0x600, -512)  # older than the trace: parameter
    built.allocate(950, 0x700, 1024)  # unknown
    built.categories = [
        (25, {0x100: "input", 0x600: "parameter"}),
        (800, {0x300: "gradient", 0x500: "optimizer state"}),
    ]
    return built


def blocks(trace):
    found = lifetimes_of(trace, -1)
    names = [CATEGORIES[place] for place in categories_of(trace, found)]
    return {(start, end, size): name for start, end, size, name in
            zip(found.starts.tolist(), found.ends.tolist(), found.nbytes.tolist(), names, strict=True)}  # fmt: skip


def test_each_category():
    assert blocks(training_step().trace()) == {
        (10, FOREVER, 8): "input",
        (30, 600, 16): "activation",
        (40, 50, 32): "temporary",
        (450, FOREVER, 64): "gradient",
        (460, 550, 128): "temporary",
        (710, FOREVER, 256): "optimizer state",
        (BEFORE, 900, 512): "parameter",
        (950, FOREVER, 1024): "unknown",
    }


def test_known_contents_without_records_are_live_throughout():
    built = training_step()
    built.categories[0][1][0x900] = "parameter"
    sizes = {
        "2304": [4096, -1],
        str(0x100): [8, -1],
        "7": [64, 0],
        "8": "no pair",
        "x": [1, -1],
        "9": [1 << 70, -1],
    }  # JSON has texts as keys
    found = blocks(built.trace(metadata={SIZES: sizes}))
    assert found.pop((BEFORE, FOREVER, 4096)) == "parameter"
    assert found == blocks(training_step().trace())
    assert blocks(built.trace(metadata={SIZES: 3})) == found


def test_snapshots_apply_to_the_block_that_is_live():
    built = Builder()
    for start in range(0, 300, 100):  # three blocks at one address
        built.allocate(start, 0x100, 8)
        built.allocate(start + 50, 0x100, -8)
    built.categories = [(20, {0x100: "input"}), (70, {0x100: "gradient"}), (220, {0x100: "parameter", 0x900: "input"})]
    assert list(blocks(built.trace()).values()) == ["input", "temporary", "parameter"]


@pytest.mark.parametrize("seed", range(5))
def test_lifetimes_agree_with_a_walk(seed):
    draw, built, live, expected, older = random.Random(seed), Builder(), {}, [], set()
    for time in range(400):
        address = draw.randrange(20)
        if address in live:
            start, size = live.pop(address)
            expected.append((start, time, size))
            built.allocate(time, address, -size)
        elif draw.random() < 0.1 and address not in older:
            expected.append((BEFORE, time, 7))
            built.allocate(time, address, -7)
        else:
            live[address] = (time, time + 1)
            built.allocate(time, address, time + 1)
        older.add(address)
    expected += [(start, FOREVER, size) for start, size in live.values()]
    trace = built.trace()
    found = lifetimes_of(trace, -1)
    assert sorted(zip(found.starts.tolist(), found.ends.tolist(), found.nbytes.tolist(), strict=True)) == sorted(
        expected
    )
    curve = by_category(trace, -1)
    for time, row in zip(curve.times.tolist(), curve.nbytes.tolist(), strict=True):
        assert sum(row) == sum(size for start, end, size in expected if start <= time < end)
    # A drawn curve keeps the peak and the end.
    drawn = by_category(trace, -1, 20)
    assert len(drawn.times) <= 21 and drawn.peak == curve.peak
    assert drawn.nbytes[-1].tolist() == curve.nbytes[-1].tolist()
    assert by_module(trace, -1, 20).peak == curve.peak


def test_modules():
    curve = by_module(training_step().trace(), -1)
    place = curve.names.index("Net.fc")
    assert curve.nbytes[:, place].max() == 48 and curve.nbytes[-1, place] == 0


# The order of torch.profiler._memory_profiler._CATEGORY_TO_COLORS in PyTorch 2.13, which numbers categories in files.
TORCH = ("PARAMETER", "OPTIMIZER_STATE", "INPUT", "TEMPORARY", "ACTIVATION", "GRADIENT", "AUTOGRAD_DETAIL", None)


def test_files_in_the_formats_of_pytorch(tmp_path):
    trace = training_step().trace()
    trace.memory["time"] *= US
    trace.events["start"] *= US
    trace.events["end"] *= US
    trace.categories[:] = [(time * US, found) for time, found in trace.categories]
    for name in ("m.json", "m.json.gz", "m.raw.json.gz", "m.html"):
        export_memory_timeline(trace, tmp_path / name)
    times, sizes = json.loads((tmp_path / "m.json").read_text())
    assert [times, sizes] == json.loads(gzip.decompress((tmp_path / "m.json.gz").read_bytes()))
    assert times[0] == 0 and times[1:4] == [10, 30, 40] and all(len(row) == len(TORCH) + 1 for row in sizes)
    column = {name: place + 1 for place, name in enumerate(TORCH)}
    at = dict(zip(times, sizes, strict=True))
    assert at[0][column["PARAMETER"]] == 512 and at[900][column["PARAMETER"]] == 0
    assert at[40][column["TEMPORARY"]] == 32 and at[40][column["ACTIVATION"]] == 16 and at[40][column["INPUT"]] == 8
    assert at[950][column[None]] == 1024 and at[710][column["OPTIMIZER_STATE"]] == 256
    raw = json.loads(gzip.decompress((tmp_path / "m.raw.json.gz").read_bytes()))
    assert raw[0] == [-1, 0, 512, 0] and [10 * US, 1, 8, 2] in raw and [50 * US, 3, -32, 3] in raw
    assert [900 * US, 3, -512, 0] in raw and len(raw) == 12
    page = (tmp_path / "m.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "Memory timeline of cpu" in page


def test_devices(tmp_path):
    built = Builder()
    built.allocate(5, 0x100, 8)
    built.allocate(6, 0x100, 64, device=1)
    trace = built.trace()
    for device, total in ((None, 64), ("cpu", 8), ("cuda:1", 64), ("cuda:0", None)):
        export_memory_timeline(trace, tmp_path / "m.json", device)
        _, sizes = json.loads((tmp_path / "m.json").read_text())
        assert [sum(row) for row in sizes] == ([] if total is None else [total])
    for device in ("gpu 1", "nope", "cuda:99999999999"):
        with raises(ValueError, "export_memory_timeline", "a device", value=repr(device)):
            export_memory_timeline(trace, tmp_path / "m.json", device)
    with raises(ValueError, "export_memory_timeline", "profile_memory=True"):
        export_memory_timeline(Builder().trace(), tmp_path / "m.json")
    with raises(IsADirectoryError, "export_memory_timeline"):
        export_memory_timeline(trace, tmp_path)


def test_blocks_without_records_of_their_release():
    built = Builder()
    built.allocate(5, 0x100, 8)
    built.allocate(9, 0x100, 16)  # the release in between is missing
    found = lifetimes_of(built.trace(), -1)
    assert found.ends.tolist() == [9, FOREVER] and np.all(found.nbytes == [8, 16])
