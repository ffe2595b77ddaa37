import gc

import pytest


@pytest.fixture(autouse=True)
def no_garbage_of_others():
    """Tests that switch the collector off must not see what earlier ones left."""
    yield
    if not gc.isenabled():
        gc.enable()
        pytest.fail("a test left the collector switched off")
