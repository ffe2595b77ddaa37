"""`python -m benchmarks.models`."""

import sys

from .run import main

sys.exit(main())
