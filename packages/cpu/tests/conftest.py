"""Settings for hypothesis (HYPOTHESIS_PROFILE=ci is derandomised and short), and tests at each instruction set."""

import os

import pytest
from hypothesis import settings

from facula_cpu.extend import at_level, levels

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(params=levels())
def level(request):
    """Run the test with the kernels of each instruction level."""
    with at_level(request.param):
        yield request.param
