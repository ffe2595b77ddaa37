"""Allocator snapshots in PyTorch's memory viewer: it reads facula's pickle, and its figures equal facula's."""

import pickle
import re

import pytest

from facula_allocator import CachingAllocator, OutOfMemoryError
from facula_allocator.drivers import SimulatedDriver
from facula_allocator.snapshots import read_snapshot, write_snapshot

viewer = pytest.importorskip("torch.cuda._memory_viz")

MIB = 1 << 20
SITES = [[{"filename": f"/data/{name}.py", "line": 10 * i, "name": name}] for i, name in enumerate("abc", 1)]


@pytest.fixture
def loaded(tmp_path):
    """Load facula's pickle like PyTorch's programs, with Python's pickle."""
    blocks = [
        ("active_allocated", 30 * MIB, 30 * MIB - 700, SITES[0]),
        ("inactive", 4 * MIB, 0, []),
        ("active_awaiting_free", 6 * MIB, 6 * MIB, SITES[1]),
    ]
    address = 0x7F3A00000000
    trace = [
        {"action": "segment_alloc", "addr": address, "size": 40 * MIB, "stream": 0, "time_us": 1, "frames": SITES[0]},
        {"action": "alloc", "addr": address, "size": 30 * MIB - 700, "stream": 0, "time_us": 2, "frames": SITES[0]},
        {"action": "alloc", "addr": address + 34 * MIB, "size": 6 * MIB, "stream": 0, "time_us": 3, "frames": SITES[1]},
        {"action": "free_requested", "addr": address + 34 * MIB, "size": 6 * MIB, "stream": 0, "time_us": 4},
        {"action": "oom", "size": 80 * MIB, "device_free": 9 * MIB, "stream": 0, "time_us": 5, "frames": SITES[2]},
    ]
    snapshot = {
        "segments": [
            {
                "device": 0, "address": address, "total_size": 40 * MIB, "stream": 0, "segment_type": "large",
                "segment_pool_id": (0, 0), "is_expandable": False, "frames": SITES[0],
                "blocks": [
                    {"size": size, "requested_size": requested, "state": state, "frames": frames}
                    for state, size, requested, frames in blocks
                ],
            }
        ],
        "device_traces": [trace],
        "allocator_settings": {"expandable_segments": False},
    }  # fmt: skip
    path = tmp_path / "snapshot.pickle"
    write_snapshot(snapshot, path)
    return pickle.loads(path.read_bytes()), read_snapshot(path)


def test_the_table_of_segments(loaded):
    text = viewer.segsum(loaded[0])
    assert "segments: 1" in text and "total_reserved: 40.0MiB" in text and "total_allocated: 30.0MiB" in text
    assert "[aa] 40.0MiB allocated" in text


def test_the_list_of_events(loaded):
    text = viewer.trace(loaded[0])
    assert "a = cudaMalloc" in text and "[0:30.0MiB]" in text and "del c # 6.0MiB" in text
    assert "OutOfMemoryError # 80.0MiB requested, 9.0MiB free" in text


@pytest.mark.parametrize("draw", [viewer.memory, viewer.segments])
def test_the_flame_graphs(loaded, draw):
    lines = draw(loaded[0], format_flamegraph=str)
    assert re.search(rf"active_allocated;a\.py:10:a {30 * MIB - 700}$", lines, re.MULTILINE)
    assert re.search(rf"active_pending_free;b\.py:20:b {6 * MIB}$", lines, re.MULTILINE)
    assert sum(int(line.rpartition(" ")[2]) for line in lines.splitlines()) == 40 * MIB


def test_the_pages_and_the_comparison(loaded):
    for page in (
        viewer.trace_plot(loaded[0]),
        viewer.segment_plot(loaded[0]),
        viewer.trace_plot(loaded[0], None, True),
    ):
        assert "snapshot.pickle" in page
    lines = viewer.compare([], loaded[0]["segments"], format_flamegraph=str)
    assert lines.startswith("only_after;")


def test_snapshots_of_pytorch_are_read(tmp_path):
    """Check a snapshot of PyTorch's profiler, without addresses or requested sizes: others require a device."""
    snapshot = {
        "segments": [{"device": 0, "address": 4096, "total_size": 96, "stream": 0, "blocks": [
            {"size": 32, "state": "inactive"},
            {"size": 64, "state": "active_allocated", "requested_size": 64, "frames": SITES[0]}]}],
        "device_traces": [[]],
    }  # fmt: skip
    (tmp_path / "a.pickle").write_bytes(pickle.dumps(snapshot))
    found = read_snapshot(tmp_path / "a.pickle")["segments"][0]
    assert found["allocated_size"] == 64 and [block["address"] for block in found["blocks"]] == [4096, 4128]


def test_the_history_of_an_allocator(tmp_path):
    """Check the records of `record_history`: owners of blocks, and events."""
    caching = CachingAllocator(SimulatedDriver(64 * MIB))
    caching.record_history()
    kept = caching.allocate(30 * MIB - 700)
    caching.allocate(3 * MIB).free()
    caching.empty_cache()
    with pytest.raises(OutOfMemoryError):
        caching.allocate(80 * MIB)
    write_snapshot(caching.memory_snapshot(), tmp_path / "snapshot.pickle")
    loaded = pickle.loads((tmp_path / "snapshot.pickle").read_bytes())
    text = viewer.trace(loaded)
    assert "cudaMalloc" in text and "OutOfMemoryError # 80.0MiB requested, 34.0MiB free" in text and kept.nbytes
    graph = viewer.memory(loaded, format_flamegraph=str)
    assert re.search(rf";test_snapshots\.py:\d+:test_the_history_of_an_allocator {kept.nbytes}$", graph, re.MULTILINE)
    assert "html" in viewer.trace_plot(loaded) and "html" in viewer.segment_plot(loaded)
