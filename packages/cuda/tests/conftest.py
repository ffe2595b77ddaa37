import os

import pytest
from fake_driver import build
from hypothesis import settings

from facula_cuda._port import driver

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Return `fake(**bodies)`, which builds a library of driver functions for `open_driver`; closed after the test."""

    def use(without=(), **bodies):
        path = build(tmp_path, without, **bodies)
        monkeypatch.setenv("FACULA_CUDA_DRIVER", str(path))
        return path

    yield use
    driver.close_driver()
