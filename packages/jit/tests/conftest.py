"""Settings for hypothesis (HYPOTHESIS_PROFILE=ci is derandomised and short) and for captures: half of all calls that
would be replayed are checked.
"""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
os.environ.setdefault("FACULA_CAPTURE_CHECK", "2")
