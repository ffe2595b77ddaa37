"""Limits on the norms of slices, and sums to a shape that broadcasts to the tensor's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_storage import bfloat16, float16, float32
from facula_storage.extend.layouts import FLOATING

from ..._core.sizes import sizes
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from ..._dispatch.written import function
from .norms import vector_norm_of

if TYPE_CHECKING:
    from ..._core.types import Lengths
    from ..._dispatch.kinds import Checked, Real, Steady
    from ..._dispatch.namespaces import Namespace


@function(
    method=True,
    changes=True,
    out=True,
    refuses={"not p > 0": "p above 0; got {p}", "maxnorm < 0": "maxnorm of at least 0; got {maxnorm}"},
)
def renorm(F: Namespace, input: Checked, p: Real, dim: int, maxnorm: Real) -> Tensor:
    """Return a copy in which slices along `dim` with a `p`-norm above `maxnorm` are scaled down to it.

    The dtype is floating or complex; there are at least 2 dimensions.

    Arguments:
        p: the order of the norm, above 0.
        dim: the dimension of the slices.
        maxnorm: the maximum norm.

    >>> from facula_tensor import tensor
    >>> renorm(tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    input = steady(input)
    layout = layout_of_tensor(input)
    if layout.dtype.category < FLOATING:
        raise DTypeError(f"renorm: not defined for {layout.dtype.name}; convert with .float()")
    if len(layout.shape) < 2:
        raise ArgumentError(f"renorm: expected at least 2 dimensions; got shape {layout.shape}")
    at = check_dim("renorm", dim, len(layout.shape))
    others = tuple([i for i in range(len(layout.shape)) if i != at])
    wide = F.to(input, (float32,)) if layout.dtype in (float16, bfloat16) else input
    norms = vector_norm_of("renorm", wide, p, others, True, None, None)
    factor = F.where(F.gt(norms, maxnorm), F.div(maxnorm, F.add(norms, 1e-7)), 1.0)
    result = F.mul(wide, factor)
    return result if wide is input else F.to(result, (layout.dtype,))


@function(method=True, public=False)
def sum_to_size(F: Namespace, self: Steady, *size: Lengths) -> Tensor:
    """Sum a tensor to a shape that broadcasts to its shape: the inverse of `expand`. Dtypes are those of `sum`.

    Arguments:
        size: the shape.

    >>> from facula_tensor import ones
    >>> ones(2, 3).sum_to_size(2, 1)
    tensor([[3.],
            [3.]])
    """
    shape = sizes("sum_to_size", size)
    layout = layout_of_tensor(self)
    own = layout.shape[len(layout.shape) - len(shape) :]
    if len(shape) > len(layout.shape) or any([a not in (1, b) for a, b in zip(shape, own, strict=True)]):
        raise ArgumentError(f"sum_to_size: expected a shape that broadcasts to {layout.shape}; got {shape}")
    if shape == layout.shape and shape:
        return F.whole(self)
    extra = len(layout.shape) - len(shape)
    dims = tuple([i for i, n in enumerate(layout.shape) if i < extra or (shape[i - extra] == 1 and n != 1)])
    return F.reshape(F.sum(self, (dims, True)), shape)
