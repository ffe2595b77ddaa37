"""The public functions of `ops/neural/vision/padding.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ....._core.tensor import Tensor
from ....._dispatch.arguments import refuse_choice, steady_tensor
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.slow_path.writing import write_out
from ....._dispatch.view_call import as_tensor
from ....._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

bodies = bodies_of("ops.neural.vision.padding")


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    try:
        input = steady_tensor("pad", input)
        if mode not in ("constant", "reflect", "replicate", "circular"):
            mode = refuse_choice("pad", "mode", mode, "'constant', 'reflect', 'replicate' or 'circular'")
        return bodies.pad(ops, input, pad, mode, value)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: float = 0, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("constant_pad_nd", input)
        result = bodies.constant_pad_nd(ops, input, pad, value)
        return result if out is None else write_out("constant_pad_nd", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
