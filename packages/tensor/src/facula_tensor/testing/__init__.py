"""Tests of tensors and of operators: what is close, and everything that an operator owes its users.

What it is: `assert_close`, under the name and with the arguments of `torch.testing`; `check_operator`, which runs one
function through the matrix of checks that this package's own operators pass, on `Samples`.
Where next: `_matrix.py` for the checks by name, `_samples.py` for what a check is told of an operator.
"""

from __future__ import annotations

from facula_errors.extend import published as _published

from ._closeness import assert_close
from ._matrix import check_operator
from ._samples import Samples

__all__ = ["Samples", "assert_close", "check_operator"]

__dir__ = _published(__name__)
