"""Names for what is of any type by design: what datasets give, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Sample: TypeAlias = Any  # what a dataset gives: arrays, numbers, text, and containers of them
Batch: TypeAlias = Any  # what collation makes of samples
Index: TypeAlias = Any  # what a sampler gives, and a dataset takes: integers, mostly
Source: TypeAlias = Any  # a dataset or sampler of a program's own: what it can do is asked when it is used
Collate: TypeAlias = Callable[[Sample], Batch]  # of a list of samples; without batches, of one
Convert: TypeAlias = Callable[[np.ndarray], object] | None  # of each array of a batch
