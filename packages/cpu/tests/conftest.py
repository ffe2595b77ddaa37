"""Settings for hypothesis (HYPOTHESIS_PROFILE=ci is derandomised and short), and tests at each instruction set."""

import os

import pytest
from hypothesis import settings

from facula_cpu import _elementwise, _registry

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def forget_kernels():
    """Kernels that were found stay found; forget them, so that another level counts."""
    _registry.level.cache_clear()
    _registry.find_kernel.cache_clear()
    _elementwise.find_form.cache_clear()


def available_levels():
    """The levels this processor has, up to the one the environment asks for."""
    wish = os.environ.get("FACULA_CPU_LEVEL")
    best = _registry.LEVELS.index(wish) if wish else _registry.lib.facula_best_level()
    return _registry.LEVELS[: best + 1]


@pytest.fixture(params=available_levels())
def level(request):
    """The test runs with the kernels of each level in turn."""
    before = os.environ.get("FACULA_CPU_LEVEL")
    os.environ["FACULA_CPU_LEVEL"] = request.param
    forget_kernels()
    yield request.param
    if before is None:
        del os.environ["FACULA_CPU_LEVEL"]
    else:
        os.environ["FACULA_CPU_LEVEL"] = before
    forget_kernels()
