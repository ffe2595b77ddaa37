"""Utilities for testing tensors and operators.

`assert_close` has the name and the arguments of its counterpart in `torch.testing`. `check_operator` runs the checks
that the operators of this package must pass on any function, with inputs described by `Samples`.
Start reading at `_matrix.py`, which lists the checks by name, and `_samples.py`, which describes their inputs.
"""

from __future__ import annotations

from facula_errors.extend import published as _published

from ._closeness import assert_close
from ._matrix import check_operator
from ._samples import Samples

__all__ = ["Samples", "assert_close", "check_operator"]

__dir__ = _published(__name__)
