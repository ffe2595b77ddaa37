"""Hypothesis settings: HYPOTHESIS_PROFILE=ci is deterministic and runs few examples."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
