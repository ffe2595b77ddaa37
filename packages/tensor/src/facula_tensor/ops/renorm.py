"""Slices brought down to a greatest norm, and sums down to the shape that a tensor was broadcast from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_errors.extend import boundary
from facula_storage import bfloat16, float16, float32
from facula_storage.extend import FLOATING

from .._core.promotion import as_real
from .._core.sizes import sizes
from .._core.tensor import Tensor, check_dim, layout_of_tensor, method, steady
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from .in_place import in_place_of
from .reduction.norms import vector_norm_of

if TYPE_CHECKING:
    from .._core.types import Lengths

__all__ = ["renorm"]


@overridable
@method()
@boundary
def renorm(input: Tensor, p: float, dim: int, maxnorm: float, *, out: Tensor | None = None) -> Tensor:
    """A copy in which no slice along `dim` has a greater `p`-norm than `maxnorm`: such slices are scaled down.

    Floating and complex dtypes, at least 2 dimensions.

    Arguments:
        input: the tensor.
        p: the order of the norm, above 0.
        dim: the dimension of the slices.
        maxnorm: the greatest norm.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> renorm(tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    input = steady(as_tensor("renorm", input))
    layout = layout_of_tensor(input)
    power, most = as_real(p, "renorm", "p"), as_real(maxnorm, "renorm", "maxnorm")
    if layout.dtype.category < FLOATING:
        raise DTypeError(f"renorm: not defined for {layout.dtype.name}; convert with .float()")
    if not power > 0:
        raise ArgumentError(f"renorm: expected p above 0; got {power}")
    if most < 0:
        raise ArgumentError(f"renorm: expected maxnorm of at least 0; got {most}")
    if len(layout.shape) < 2:
        raise ArgumentError(f"renorm: expected at least 2 dimensions; got shape {layout.shape}")
    at = check_dim("renorm", dim, len(layout.shape))
    others = tuple([i for i in range(len(layout.shape)) if i != at])
    wide = recorded_ops.to(input, (float32,)) if layout.dtype in (float16, bfloat16) else input
    norms = vector_norm_of("renorm", wide, power, others, True, None, None)
    large = recorded_ops.gt(norms, most)
    factor = recorded_ops.where(large, recorded_ops.div(most, recorded_ops.add(norms, 1e-7)), 1.0)
    result = recorded_ops.mul(wide, factor)
    return write_out("renorm", result if wide is input else recorded_ops.to(result, (layout.dtype,)), out)


in_place_of(renorm)


@overridable
@method()
@boundary
def sum_to_size(self: Tensor, *size: Lengths) -> Tensor:
    """The sum down to a shape from which this tensor's is broadcast: the opposite of `expand`. Dtypes as of `sum`.

    >>> from facula_tensor import ones
    >>> ones(2, 3).sum_to_size(2, 1)
    tensor([[3.],
            [3.]])
    """
    shape = sizes("sum_to_size", size)
    self = steady(as_tensor("sum_to_size", self))
    layout = layout_of_tensor(self)
    own = layout.shape[len(layout.shape) - len(shape) :]
    if len(shape) > len(layout.shape) or any([a not in (1, b) for a, b in zip(shape, own, strict=True)]):
        raise ArgumentError(f"sum_to_size: expected a shape that broadcasts to {layout.shape}; got {shape}")
    if shape == layout.shape and shape:
        return recorded_ops.whole(self)
    extra = len(layout.shape) - len(shape)
    dims = tuple([i for i, n in enumerate(layout.shape) if i < extra or (shape[i - extra] == 1 and n != 1)])
    summed = recorded_ops.sum(self, (dims, True))
    return recorded_ops.reshape(summed, shape)
