"""Type aliases for values of any type by design: samples, indices and batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Sample: TypeAlias = Any  # a sample of a dataset: arrays, numbers, text, and containers of them
Batch: TypeAlias = Any  # the result of collation
Index: TypeAlias = Any  # an index from a sampler, usually an integer
Source: TypeAlias = Any  # a user-defined dataset or sampler, whose methods are looked up on use
Collate: TypeAlias = Callable[[Sample], Batch]  # applied to a list of samples; without batches, to one sample
Convert: TypeAlias = Callable[[np.ndarray], object] | None  # applied to each array of a batch
