import gc
import os

import pytest
from hypothesis import settings
from simulated import on_fake_runtime

from facula_allocator import CachingAllocator, HostAllocator
from facula_allocator.drivers import SimulatedDriver
from facula_allocator.extend import refuse_next

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def allocator():
    return HostAllocator()


@pytest.fixture(params=[SimulatedDriver, on_fake_runtime], ids=["simulated", "cuda"])
def driver(request):
    return request.param(64 << 20)


@pytest.fixture
def caching(driver):
    return CachingAllocator(driver)


@pytest.fixture
def no_collection():
    """Disable automatic garbage collection, so that idle memory depends on the test alone."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def refuse():
    """Return `refuse(count)`, which makes the next requests to the system fail; reset at the end."""
    yield refuse_next
    refuse_next(0)
