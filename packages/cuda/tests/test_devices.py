"""Devices of the simulated driver: counts, the current device of each thread, contexts and properties."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import facula_cuda as cuda
from facula_cuda._driver import lib
from facula_cuda._port import devices
from facula_cuda.testing import driver_calls, failing
from facula_errors.testing import raises
from facula_storage import Device

pytestmark = pytest.mark.usefixtures("two_devices")

BAD_DEVICES = {
    2: (RuntimeError, "0 <= device < 2"),
    -1: (RuntimeError, "0 <= device < 2"),
    "cuda:7": (RuntimeError, "0 <= device < 2"),
    "cpu": (ValueError, "of type 'cuda'"),
    "cuda:x": (ValueError, "'type:index'"),
    0.5: (TypeError, "an index, a name"),
    True: (TypeError, "an index, a name"),
}


def in_thread(function, *arguments):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments).result()


def test_devices_are_counted():
    assert cuda.device_count() == 2


def test_visible_devices_are_those_of_the_environment():
    """Check that the order is that of the list, too."""
    program = (
        "import facula_cuda as cuda; from facula_cuda.testing import simulate; simulate(devices=3)\n"
        "print(cuda.device_count(), [cuda.get_device_properties(i).pci_bus_id for i in range(cuda.device_count())])\n"
    )
    command = [sys.executable, "-c", program]

    def seen(text):
        env = {**os.environ, "CUDA_VISIBLE_DEVICES": text}
        return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout

    assert [seen(text) for text in ("0,1,2", "2,0", "1,9,0")] == ["3 [1, 2, 3]\n", "2 [3, 1]\n", "1 [2]\n"]


def test_the_current_device_belongs_to_a_thread():
    assert cuda.current_device() == 0
    cuda.set_device(1)
    assert (cuda.current_device(), in_thread(cuda.current_device)) == (1, 0)
    cuda.set_device("cuda:0")
    assert cuda.current_device() == 0
    cuda.set_device(Device("cuda:1"))
    assert cuda.current_device() == 1


@pytest.mark.parametrize("nothing", [None, -1])
def test_no_device_has_no_effect(nothing):
    cuda.set_device(1)
    cuda.set_device(nothing)
    assert cuda.current_device() == 1
    with cuda.device(nothing):
        assert cuda.current_device() == 1


def test_a_block_restores_the_device():
    with cuda.device(1):
        with cuda.device("cuda:0"):
            assert cuda.current_device() == 0
        assert cuda.current_device() == 1
        with pytest.raises(KeyError), cuda.device(0):
            raise KeyError
        assert cuda.current_device() == 1
    assert cuda.current_device() == 0


@pytest.mark.parametrize("device", BAD_DEVICES, ids=repr)
def test_bad_devices_are_named(device):
    kind, text = BAD_DEVICES[device]
    with pytest.raises(kind, match=text):
        cuda.get_device_name(device)


def test_an_index_out_of_range_names_the_environment():
    with raises(RuntimeError, "synchronize", "CUDA_VISIBLE_DEVICES", value=2):
        cuda.synchronize(2)


def test_properties():
    found = cuda.get_device_properties(1)
    assert found is cuda.get_device_properties("cuda:1")
    assert (found.name, found.total_memory) == (cuda.get_device_name(1), 64 << 20)
    assert (found.major, found.minor) == cuda.get_device_capability(1) == (9, 0)
    assert (found.warp_size, found.max_threads_per_multi_processor) == (32, 2048)
    assert found.uuid != cuda.get_device_properties(0).uuid
    assert [len(part) for part in found.uuid.split("-")] == [8, 4, 4, 4, 12]


def test_a_context_is_retained_once_and_made_current_once_in_each_thread():
    before = driver_calls()
    handles = {devices.context(0) for _ in range(3)} | {in_thread(devices.context, 0)}
    made = driver_calls() - before
    assert len(handles) == 1
    assert (made["cuDevicePrimaryCtxRetain"], made["cuCtxSetCurrent"]) == (1, 2)
    assert devices.context(1) not in handles
    assert [devices.is_used(index) for index in (0, 1)] == [True, True]


def test_reading_properties_uses_no_device():
    cuda.get_device_properties(0)
    assert not devices.is_used(0)


def test_a_context_that_the_driver_refuses():
    with failing("cuDevicePrimaryCtxRetain", 2), raises(cuda.CudaError, "cuda", "device 1", "Release memory"):
        cuda.synchronize(1)
    cuda.synchronize(1)


def test_peers():
    assert cuda.can_device_access_peer(0, 1)
    assert not cuda.can_device_access_peer(0, 0)
    before = driver_calls()
    assert devices.enable_peer_access(0, 1)
    assert devices.enable_peer_access(0, 1)
    assert devices.enable_peer_access(1, 1)
    assert (driver_calls() - before)["cuCtxEnablePeerAccess"] == 1


def test_peers_that_another_library_enabled():
    devices.context(0)
    assert lib.driver.cuCtxEnablePeerAccess(devices.context(1), 0) != 0  # a context and itself
    target = devices.context(1)
    devices.context(0)
    assert lib.driver.cuCtxEnablePeerAccess(target, 0) == 0
    assert devices.enable_peer_access(0, 1)


def test_errors_of_work_are_reported_by_a_wait():
    devices.context(0)
    with failing("cuCtxSynchronize", 700), raises(cuda.CudaError, "synchronize", "start the program again") as caught:
        cuda.synchronize()
    assert caught.value.code == 700
