import gc

import pytest


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
