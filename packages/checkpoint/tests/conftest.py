"""Hypothesis profiles, and what the tests make tensors of."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.register_profile("dev", max_examples=300, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture
def path(tmp_path):
    """Where a test's one checkpoint is; nothing else may be in its folder in the end."""
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    file = folder / "model.safetensors"
    yield file
    left = {entry.name for entry in folder.iterdir()}
    assert left <= {file.name}, left
