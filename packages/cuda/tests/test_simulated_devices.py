"""Starting simulated devices: arguments, CUDA_VISIBLE_DEVICES, and what the devices say of themselves."""

import subprocess
import sys

import pytest
from simulated_calls import (
    Code,
    allocate,
    call,
    code_of,
    get,
)

import facula_cuda
from facula_cuda._driver import ffi
from facula_cuda.testing import counting, driver_calls, failing, kernel_failure, pending, simulate
from facula_cuda.testing._simulation import end_simulation
from facula_errors.testing import raises

INVALID_VALUE, NO_DEVICE, INVALID_DEVICE, INVALID_CONTEXT = 1, 100, 101, 201
UUID = "GPU-66616375-6c61-5f73-696d-756c617465{:02x}"
ATTRIBUTES = {1: 1024, 5: (1 << 31) - 1, 8: 48 << 10, 10: 32, 41: 1, 75: 9, 76: 0, 102: 1}


def uuid_of(device):
    uuid = ffi.new("struct uuid *")
    call("cuDeviceGetUuid_v2", uuid, device)
    text = bytes(uuid.bytes).hex()
    return "GPU-" + "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


@pytest.mark.parametrize(
    ("visible", "devices"),
    [
        (None, [0, 1, 2]),
        ("2,0", [2, 0]),
        ("1", [1]),
        ("0,7,1", [0]),
        ("0,x", [0]),
        ("0,0,1", [0]),
        ("0,-1,1", [0]),
        (UUID.format(2) + ",1", [2, 1]),
        ("0,GPU-6661", [0]),  # the start of all three
    ],
)
def test_visible_devices(simulated, monkeypatch, visible, devices):
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    simulated(devices=3)
    assert get("int", "cuDeviceGetCount") == len(devices)
    assert [uuid_of(device) for device in range(len(devices))] == [UUID.format(physical) for physical in devices]
    assert [get("int", "cuDeviceGetAttribute", 33, device) for device in range(len(devices))] == [
        1 + physical for physical in devices
    ]
    assert code_of("cuDeviceGet", ffi.new("int *"), len(devices)) == INVALID_DEVICE


@pytest.mark.parametrize("visible", ["", "-1", "none", "3"])
def test_no_visible_device(simulated, monkeypatch, visible):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    with raises(facula_cuda.CudaError, "cuda", "CUDA_VISIBLE_DEVICES") as caught:
        simulated(devices=3)
    assert caught.value.code == NO_DEVICE
    with raises(RuntimeError, "pending", "simulated devices", "Call facula_cuda.testing.simulate()", value="none"):
        pending()


def test_properties(simulated):
    simulated(devices=2, memory=1 << 30)
    assert facula_cuda.is_available() and facula_cuda.driver_version() == 13000
    name = ffi.new("char[]", 100)
    call("cuDeviceGetName", name, 100, 1)
    assert ffi.string(name) == b"facula simulated device"
    call("cuDeviceGetName", name, 7, 1)
    assert ffi.string(name) == b"facula"
    assert {number: get("int", "cuDeviceGetAttribute", number, 1) for number in ATTRIBUTES} == ATTRIBUTES
    assert get("size_t", "cuDeviceTotalMem_v2", 1) == 1 << 30
    result = ffi.new("int *")
    assert code_of("cuDeviceGetAttribute", result, 10000, 0) == INVALID_VALUE
    assert code_of("cuDeviceGetAttribute", result, 1, 2) == INVALID_DEVICE
    assert code_of("cuDevicePrimaryCtxRetain", ffi.new("int64_t *"), 2) == INVALID_DEVICE
    assert code_of("cuCtxSetCurrent", 12345) == INVALID_CONTEXT


def test_errors_have_names(simulated):
    simulated()
    for code, name, text in ((2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"), (600, "CUDA_ERROR_NOT_READY", "device")):
        pointer = ffi.new("char const **")
        call("cuGetErrorName", code, pointer)
        assert ffi.string(pointer[0]).decode() == name
        call("cuGetErrorString", code, pointer)
        assert text in ffi.string(pointer[0]).decode()
    assert code_of("cuGetErrorName", 12345, pointer) == INVALID_VALUE and pointer[0] == ffi.NULL


@pytest.mark.parametrize(
    ("arguments", "argument", "value"),
    [
        ({"devices": 0}, "devices", 0),
        ({"devices": 9}, "devices", 9),
        ({"order": "random"}, "order", "'random'"),
        ({"memory": 1 << 20}, "memory", 1 << 20),
        ({"memory": 1 << 40}, "memory", 1 << 40),
    ],
)
def test_arguments_out_of_range(simulated, arguments, argument, value):
    with raises(ValueError, "simulate", argument, value=value):
        simulated(**arguments)
    assert not facula_cuda.is_available()


def test_later_calls_change_only_the_order(simulated):
    simulated(devices=2)
    address = allocate(8)
    simulate(devices=2, order="in_order", seed=5)
    call("cuMemFree_v2", address)
    for arguments in ({"devices": 1}, {"devices": 2, "memory": 1 << 30}):
        with raises(ValueError, "simulate", "of the earlier call", "Start another process"):
            simulate(**arguments)


def test_a_process_that_uses_the_driver_is_refused(fake, simulated):
    fake()
    facula_cuda.driver_version()
    with raises(RuntimeError, "simulate", "a process that has not used CUDA", "Call simulate() first"):
        simulated()


@pytest.mark.parametrize(("name", "devices"), [("simulated", 1), ("simulated:3", 3)])
def test_an_environment_variable_simulates_devices(monkeypatch, name, devices):
    monkeypatch.setenv("FACULA_CUDA_DRIVER", name)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    try:
        assert facula_cuda.is_available() and facula_cuda.device_count() == devices
        simulate(devices, seed=3)
        assert pending() == 0
    finally:
        end_simulation()


@pytest.mark.parametrize("name", ["simulated:x", "simulated:-1"])
def test_a_wrong_environment_variable(monkeypatch, name):
    monkeypatch.setenv("FACULA_CUDA_DRIVER", name)
    with raises(ValueError, "cuda", "FACULA_CUDA_DRIVER", "for four devices", value=repr(name)):
        facula_cuda.driver_version()


def test_controls_need_a_simulation():
    for name, use in {
        "pending": pending,
        "driver_calls": driver_calls,
        "kernel_failure": kernel_failure,
        "counting": counting().__enter__,
        "failing": failing("cuInit", 3).__enter__,
    }.items():
        with raises(RuntimeError, name, "simulated devices", "Call facula_cuda.testing.simulate()", value="none"):
            use()


def test_failing_names_a_function(simulated):
    simulated()
    with raises(ValueError, "failing", "function", value="'cuLaunch'"), failing("cuLaunch", 1):
        pass


def test_calls_are_counted(simulated):
    simulated()
    before = driver_calls()
    with pytest.raises(Code):
        call("cuEventQuery", 12345)
    call("cuCtxSynchronize")
    call("cuCtxSynchronize")
    assert driver_calls() - before == {"cuEventQuery": 1, "cuCtxSynchronize": 2}


def test_addresses_in_use_are_an_error():
    code = (
        "import ctypes, facula_cuda.testing as t\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "libc.mmap.restype = ctypes.c_void_p\n"
        "taken = libc.mmap(ctypes.c_void_p(0x7c0000100000), ctypes.c_size_t(4096), 0, 0x22, -1, ctypes.c_long(0))\n"
        "assert taken == 0x7c0000100000\n"
        "try:\n"
        "    t.simulate()\n"
        "except RuntimeError as error:\n"
        "    print(error)\n"
    )
    said = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert said.startswith("simulate: expected free addresses from 0x7c0000000000; got addresses in use")
