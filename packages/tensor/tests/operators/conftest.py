"""The device fixture of the operator tests."""

import pytest
from elements import DEVICES


@pytest.fixture(params=DEVICES)
def device(request):
    """Each device with a backend on this machine."""
    return request.param
