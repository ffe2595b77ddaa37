"""Settings for hypothesis: HYPOTHESIS_PROFILE=ci is derandomized and short. No test leaves processes or files."""

import os

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def nothing_left():
    """Check that a test leaves no files in shared memory."""
    before = set(os.listdir("/dev/shm"))
    yield
    assert not {name for name in set(os.listdir("/dev/shm")) - before if "facula" in name}
