"""Hypothesis profiles: `ci` repeats the same examples; `default` looks for new ones."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
