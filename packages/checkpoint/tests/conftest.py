"""Hypothesis profiles, and helpers that create tensors."""

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
    """The path of a test's only checkpoint; its folder must finally contain no other file."""
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    file = folder / "model.safetensors"
    yield file
    left = {entry.name for entry in folder.iterdir()}
    assert left <= {file.name}, left
