"""Settings for hypothesis: HYPOTHESIS_PROFILE=ci is derandomized and short."""

import os

import pytest
from hypothesis import settings
from sharing_helpers import METHODS

import facula_multiprocessing as mp

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(params=METHODS)
def context(request):
    return mp.get_context(request.param)


@pytest.fixture
def fork():
    return mp.get_context("fork")
