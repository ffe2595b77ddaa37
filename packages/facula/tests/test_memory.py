"""Memory of tensors: statistics, owners of memory, and custom allocators."""

import os
import subprocess
import sys
import textwrap

import pytest

import facula
from facula import nn
from facula_allocator import CachingAllocator, default_host_allocator, set_device_allocator, will_it_fit
from facula_allocator.drivers import CudaDriver, FakeRuntime
from facula_allocator.snapshots import explain, read_snapshot, render_html
from facula_allocator.traces import read_trace, summarize
from facula_errors.testing import raises

MIB = 1 << 20
memory = facula.cpu.memory


@pytest.fixture
def recorded():
    memory.record_memory_history()
    yield
    memory.record_memory_history(None)


@pytest.fixture
def cuda():
    """A CUDA device that does not exist, with an allocator."""
    allocator = CachingAllocator(CudaDriver(0, FakeRuntime(capacity=64 * MIB)))
    set_device_allocator(0, allocator)
    yield allocator
    set_device_allocator(0, None)


def training_step():
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = facula.optim.Adam(model.parameters())
    loss = nn.functional.cross_entropy(model(facula.randn(32, 64)), facula.randint(0, 10, (32,)))
    loss.backward()
    optimizer.step()
    return model, optimizer


def test_bytes_in_tensors_are_always_counted():
    before = memory.memory_allocated()
    x = facula.empty(1 << 20)
    assert memory.memory_allocated() == before + 4 * MIB <= memory.memory_reserved() <= memory.max_memory_reserved()
    del x
    assert memory.memory_allocated() == before
    stats = facula.cpu.memory_stats()
    assert stats["allocated_bytes.all.current"] == before and "allocated_bytes.all.peak" not in stats
    assert facula.cpu.memory_stats_as_nested_dict()["allocated_bytes"]["all"]["current"] == before
    assert "from the system" in facula.cpu.memory_summary()
    free, total = facula.cpu.mem_get_info("cpu")
    assert 0 < free <= total


def test_empty_cache_releases_idle_memory():
    del_me = facula.empty(8 << 20)
    del del_me
    facula.cpu.empty_cache()
    reserved = memory.memory_reserved()
    facula.cpu.reset_peak_memory_stats()
    assert memory.max_memory_reserved() == reserved
    facula.cpu.reset_accumulated_memory_stats()
    assert facula.cpu.memory_stats()["num_device_free"] == 0


def test_a_peak_without_recording_raises():
    with raises(
        RuntimeError, "cpu.max_memory_allocated", "cpu.record_memory_history() on. max_memory_reserved() is never less"
    ):
        facula.cpu.max_memory_allocated()


def test_the_peak_of_recorded_memory_is_exact(recorded):
    held = facula.empty(1 << 20)
    start = memory.memory_allocated()
    memory.reset_peak_memory_stats()
    x = facula.empty(1 << 20)
    y = x + held  # three of 4 MiB
    del x
    z = y * 2
    del y, z
    assert memory.max_memory_allocated() == start + 8 * MIB and memory.memory_allocated() == start


def test_operators_allocate_only_recorded_memory(recorded):
    host = default_host_allocator()
    unseen = host.size_classes()
    kept = training_step()
    with facula.no_grad():
        kept[0](facula.randn(4, 64)).softmax(1).sort()
    after = {row.block_bytes: row.allocated_blocks for row in host.size_classes()}
    assert all(after.get(row.block_bytes, 0) <= row.allocated_blocks for row in unseen)
    assert len(after) <= len(unseen)


def named(segments):
    """Return the blocks with known source lines: other blocks of the process may change between two snapshots."""
    return [block for segment in segments for block in segment["blocks"] if block["frames"]]


def test_a_snapshot_names_the_owners_of_a_models_memory(recorded, tmp_path):
    kept = training_step()
    for name in ("memory.json", "memory.pickle"):
        memory.dump_snapshot(tmp_path / name)
    snapshot = read_snapshot(tmp_path / "memory.json")
    assert named(snapshot["segments"]) == named(read_snapshot(tmp_path / "memory.pickle")["segments"]) != []
    text = explain(snapshot, 1 << 40, place="host memory")
    first = training_step.__code__.co_firstlineno
    assert f"test_memory.py:{first + 1} training_step" in text, "the parameters"
    assert f"test_memory.py:{first + 5} training_step" in text, "the state of the optimizer"
    assert f"test_memory.py:{first + 3} training_step" not in text, "activations are gone"
    assert kept and {"alloc", "free_completed"} <= {event["action"] for event in snapshot["device_traces"][0]}
    assert "test_memory.py" in render_html(snapshot)
    assert named(memory.memory_snapshot()) == named(memory.snapshot()["segments"])
    assert memory._snapshot()["allocator_settings"]


def test_a_trace_of_a_step_predicts_whether_it_fits(tmp_path):
    training_step()  # plans and constants are made
    with memory.record_trace(tmp_path / "step.trace") as trace:
        trace.mark("step 0")
        training_step()
    read = read_trace(tmp_path / "step.trace")
    found = summarize(read)
    assert found.peak_step == "step 0" and found.peak_bytes > 4 * (64 * 128 + 128 * 10) * 4, (
        "parameters, gradients, state"
    )
    assert any(site.filename == __file__ for site in read.sites)
    assert will_it_fit(read, 64 * MIB) and not will_it_fit(read, 64 << 10)
    with raises(TypeError, "record_trace", "expected a path"):
        memory.record_trace(None)  # raised by the call, not on entering the block
    from facula_storage.extend import collecting

    assert not collecting


def test_stopping_a_recording_removes_its_hooks():
    from facula_autograd.extend import active_modes
    from facula_storage.extend import collecting

    before = len(active_modes), len(collecting)
    memory._record_memory_history("all", max_entries=5)
    memory._record_memory_history("state", context=None)
    x = facula.ones(1000)
    memory._record_memory_history(None)
    memory._record_memory_history(None)
    assert (len(active_modes), len(collecting)) == before
    allocated = memory.memory_allocated()
    del x
    assert memory.memory_allocated() < allocated
    assert not any(block["frames"] for one in memory.memory_snapshot() for block in one["blocks"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_recording_continues_in_a_forked_child(recorded):
    child = os.fork()
    if not child:
        memory.reset_peak_memory_stats()
        start = memory.memory_allocated()
        facula.empty(1 << 20).relu()
        os._exit(0 if memory.max_memory_allocated() == start + 8 * MIB else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_recording_does_not_change_results():
    facula.manual_seed(0)
    plain = [p.tolist() for p in training_step()[0].parameters()]
    memory.record_memory_history()
    try:
        facula.manual_seed(0)
        assert plain == [p.tolist() for p in training_step()[0].parameters()]
    finally:
        memory.record_memory_history(None)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: memory.memory_allocated("cuda"), ValueError, "cpu: expected device to be one of 'cpu'; got 'cuda'"),
        (lambda: memory.memory_allocated(1.5), TypeError, "cpu: expected device, an int or a name; got 1.5"),
        (lambda: memory.record_memory_history("some"), ValueError, "cpu.record_memory_history: enabled, one of 'all'"),
        (lambda: memory.record_memory_history(context="x"), ValueError, "cpu.record_memory_history: got 'x'"),
        (lambda: memory.record_memory_history(max_entries=-1), ValueError, "cpu.record_memory_history: got -1"),
        (lambda: facula.cpu.set_per_process_memory_fraction(2.0), ValueError, "set_memory_fraction: 0 ... got 2.0"),
        (lambda: facula.cuda.memory_snapshot(), RuntimeError, "cuda.memory_snapshot: there is no CUDA device"),
        (lambda: facula.cuda.memory._record_memory_history(), RuntimeError, "cuda.record_memory_history: there is no"),
    ],
)  # fmt: skip
def test_invalid_arguments_are_refused(call, error, message):
    with raises(error, message):
        call()


def test_a_memory_fraction_limits_tensors():
    facula.cpu.set_per_process_memory_fraction(1e-9)
    try:
        with raises(facula.OutOfMemoryError, "out of memory") as caught:
            facula.empty(64 << 20)
    finally:
        default_host_allocator().set_memory_fraction(None)
    assert isinstance(caught.value, (MemoryError, RuntimeError))
    assert facula.OutOfMemoryError is facula.cuda.OutOfMemoryError is facula.errors.OutOfMemoryError


def test_cuda_statistics_are_those_of_the_devices_allocators(cuda):
    assert facula.cuda.memory_allocated() == 0 and facula.cuda.max_memory_allocated("cuda:0") == 0
    facula.cuda.memory._record_memory_history()
    block = cuda.allocate(1000)
    assert facula.cuda.memory_allocated() == facula.cuda.memory_allocated(0) == 1024
    assert facula.cuda.memory_reserved() == facula.cuda.memory_cached() == 2 * MIB
    assert facula.cuda.memory_allocated(1) == 0 and facula.cuda.memory_stats("cuda:1") == {}
    assert facula.cuda.memory_stats_as_nested_dict()["num_ooms"] == 0
    frames = [row["frames"] for row in facula.cuda.memory_snapshot()[0]["blocks"] if row["state"] != "inactive"]
    assert frames[0][0]["filename"] == __file__
    free, total = facula.cuda.mem_get_info()
    assert total - free == 2 * MIB and "device memory" in facula.cuda.memory_summary()
    block.free()
    facula.cuda.empty_cache()
    assert facula.cuda.memory_reserved() == 0 and facula.cuda.max_memory_allocated() == 1024
    facula.cuda.reset_max_memory_allocated()
    assert facula.cuda.max_memory_allocated() == 0
    facula.cuda.memory._record_memory_history(enabled=None)
    assert facula.cuda.memory._snapshot()["device_traces"] == [[]]


OWN_POOL = """
    import numpy as np
    import facula
    from facula import nn
    from facula_allocator import CachingAllocator, StorageAllocator, default_host_allocator
    from facula_allocator.drivers import HostDriver
    from facula_cpu import CpuBackend
    from facula_storage.extend import register_backend

    pool = CachingAllocator(HostDriver(), limit=64 << 20)
    front = StorageAllocator(pool)
    register_backend("cpu", lambda index: CpuBackend(front))

    class Memory:
        __slots__ = ("__array_interface__", "__del__")

        def __init__(self, shape):
            address, self.__del__ = front.refill(int(np.prod(shape)) * 4)
            self.__array_interface__ = {"shape": shape, "typestr": "<f4", "data": (address, False), "version": 3}

    array = np.asarray(Memory((256, 64)))
    array[:] = 1
    assert facula.cpu.memory_allocated() == 256 * 64 * 4
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = facula.optim.Adam(model.parameters())
    calls = []
    for step in range(5):
        loss = nn.functional.cross_entropy(model(facula.from_numpy(array)), facula.zeros(256, dtype=facula.int64))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        calls.append(pool.memory_stats()["num_device_alloc"])
    assert calls[1] == calls[-1], calls
    facula.cpu.memory.record_memory_history()
    other = facula.ones(1000)
    frames = [row["frames"] for one in facula.cpu.memory_snapshot() for row in one["blocks"] if row["frames"]]
    assert frames and all(frame[0]["filename"] == "<string>" for frame in frames)
    assert facula.cpu.max_memory_allocated() > facula.cpu.memory_allocated()
    try:
        facula.empty(128 << 20)
    except facula.OutOfMemoryError as error:
        assert str(error).startswith("out of memory") and error.limit == 64 << 20
    del model, optimizer, loss, other
    assert facula.cpu.memory_allocated() == 256 * 64 * 4, "the array alone"
    del array
    assert facula.cpu.memory_allocated() == 0
    assert default_host_allocator().memory_stats()["num_device_alloc"] == 0
"""


def test_a_snapshot_of_two_devices_has_a_trace_for_each():
    runtime = FakeRuntime(devices=2, capacity=64 * MIB)
    for device in (0, 1):
        allocator = CachingAllocator(CudaDriver(device, runtime))
        allocator.record_history()
        set_device_allocator(device, allocator)
        allocator.allocate((device + 1) * MIB)
    try:
        found = facula.cuda.memory.snapshot()
    finally:
        for device in (0, 1):
            set_device_allocator(device, None)
    assert [segment["device"] for segment in found["segments"]] == [0, 1]
    sizes = [[event["size"] for event in trace if event["action"] == "alloc"] for trace in found["device_traces"]]
    assert sizes == [[MIB], [2 * MIB]]


def test_tensors_and_numpy_share_a_custom_pool():
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(OWN_POOL)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
