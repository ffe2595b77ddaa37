import gc

import pytest

from facula_allocator import HostAllocator
from facula_allocator.extend import refuse_next


@pytest.fixture
def allocator():
    return HostAllocator()


@pytest.fixture
def no_collection():
    """No automatic garbage collection, so that what is idle depends on the test alone."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def refuse():
    """`refuse(count)` makes the next requests to the system fail; undone at the end."""
    yield refuse_next
    refuse_next(0)
