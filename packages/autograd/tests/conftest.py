"""Settings for hypothesis (HYPOTHESIS_PROFILE=ci is derandomised and short) and for the garbage collector."""

import gc
import os

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_finish():
    """Freeze existing objects, so that collections only traverse a test's own objects, not pytest's."""
    gc.freeze()


@pytest.fixture(autouse=True)
def no_garbage_of_others():
    """Fail tests that leave the collector switched off, so that later tests do not see their garbage."""
    yield
    if not gc.isenabled():
        gc.enable()
        pytest.fail("a test left the collector switched off")
