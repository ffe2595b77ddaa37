"""Settings for hypothesis (HYPOTHESIS_PROFILE=ci is derandomised and short); collections see a test's objects alone."""

import gc
import os

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_finish():
    """Let collections look through a test's own objects alone, not through all that pytest keeps."""
    gc.freeze()


@pytest.fixture(autouse=True)
def no_garbage_of_others():
    """Tests that switch the collector off must not see what earlier ones left."""
    yield
    if not gc.isenabled():
        gc.enable()
        pytest.fail("a test left the collector switched off")
