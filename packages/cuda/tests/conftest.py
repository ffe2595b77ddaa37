import gc
import os

import pytest
from fake_driver import build
from hypothesis import settings
from simulated_calls import build_kernels, use_device

from facula_cuda._port import driver
from facula_cuda.testing import simulate
from facula_cuda.testing._simulation import end_simulation
from facula_storage import Device

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Return `fake(**bodies)`, which builds a library of driver functions for `open_driver`; closed after the test."""

    def use(without=(), **bodies):
        path = build(tmp_path, without, **bodies)
        monkeypatch.setenv("FACULA_CUDA_DRIVER", str(path))
        return path

    yield use
    driver.close_driver()


@pytest.fixture
def simulated(monkeypatch):
    """Return `simulated(**options)`, which simulates devices and makes the first one current; ended after the test."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    def start(**options):
        simulate(**options)
        return use_device()

    yield start
    end_simulation()


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """Return the library of the tests' kernels."""
    return build_kernels(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def two_devices(simulated):
    """Simulate two devices that run work in the order of queueing, for one test."""
    simulated(devices=2, order="in_order", memory=64 << 20)


@pytest.fixture
def backend(simulated, monkeypatch):
    """Return the first of two simulated devices. Operators without a kernel run on the CPU without a warning."""
    monkeypatch.setenv("FACULA_CUDA_FALLBACK", "quiet")
    simulated(devices=2, memory=64 << 20)
    yield Device("cuda:0").backend
    gc.collect()
