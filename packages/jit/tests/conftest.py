"""Settings for hypothesis (HYPOTHESIS_PROFILE=ci is derandomized and short) and for captures: every second replay is
checked.
"""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
os.environ.setdefault("FACULA_CAPTURE_CHECK", "2")
