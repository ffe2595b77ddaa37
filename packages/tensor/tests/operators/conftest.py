"""Where the tests of operators run: the device fixture."""

import pytest
from elements import DEVICES


@pytest.fixture(params=DEVICES)
def device(request):
    """Each device for which this machine has a backend, in turn."""
    return request.param
