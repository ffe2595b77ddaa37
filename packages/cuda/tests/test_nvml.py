"""Queries of NVIDIA's management library, with a library that gcc compiles in its place, and without one."""

import subprocess

import pytest

import facula_cuda as cuda
from facula_cuda._port import nvml
from facula_errors.testing import raises

pytestmark = pytest.mark.usefixtures("two_devices")
SOURCE = r"""
#include <string.h>
static int started;
int nvmlInit_v2(void) { started++; return started > 1; }
const char *nvmlErrorString(int code) { return code == 6 ? "not found" : "unsupported"; }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle)
{
    if (strlen(uuid) != 40 || strncmp(uuid, "GPU-", 4) || uuid[12] != '-' || uuid[27] != '-')
        return 6;
    *handle = (void *)(long)(1 + (uuid[39] - '0')); /* the last byte is the number of the simulated device */
    return 0;
}
int nvmlDeviceGetUtilizationRates(void *handle, unsigned *rates)
{
    rates[0] = 70 + (long)handle;
    rates[1] = 30;
    return 0;
}
int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *value)
{
    *value = sensor ? 0 : 40 + (long)handle;
    return 0;
}
int nvmlDeviceGetPowerUsage(void *handle, unsigned *value) { *value = 123456; return 0; }
int nvmlDeviceGetClockInfo(void *handle, int clock, unsigned *value)
{
    *value = 1980;
    return clock != 1 || (long)handle == 2 ? 3 : 0;
}
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    source = tmp_path / "nvml.c"
    source.write_text(SOURCE)
    path = source.with_suffix(".so")
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-o", str(path), str(source)], check=True)
    monkeypatch.setattr(nvml, "LIBRARY", str(path))


def test_queries_are_about_a_device(library):
    assert (cuda.utilization(), cuda.utilization("cuda:1"), cuda.memory_usage(1)) == (71, 72, 30)
    with cuda.device(1):
        assert cuda.temperature() == 42
    assert (cuda.temperature(0), cuda.power_draw(), cuda.clock_rate(0)) == (41, 123456, 1980)


def test_an_error_of_the_library_is_described(library):
    with raises(RuntimeError, "clock_rate", "unsupported", value="code 3"):
        cuda.clock_rate(1)


def test_without_the_library(monkeypatch):
    monkeypatch.setattr(nvml, "LIBRARY", "/missing/libnvidia-ml.so.1")
    for name in ("utilization", "memory_usage", "temperature", "power_draw", "clock_rate"):
        with raises(RuntimeError, name, "NVIDIA's driver", value="/missing/libnvidia-ml.so.1"):
            getattr(cuda, name)()


def test_devices_are_checked_first():
    with raises(ValueError, "temperature", "device", value=7):
        cuda.temperature(7)
