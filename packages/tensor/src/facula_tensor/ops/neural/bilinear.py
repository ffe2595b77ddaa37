"""`bilinear`: products of two inputs with a weight."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError

from ..._core.tensor import Tensor, layout_of_tensor
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._dispatch.kinds import Steady
    from ..._dispatch.namespaces import Namespace


@function(overridable=True)
def bilinear(F: Namespace, input1: Steady, input2: Steady, weight: Steady, bias: Tensor | None = None) -> Tensor:
    """Compute input1 @ weight[k] @ input2 + bias[k] for each feature k.

    Arguments:
        input1: (*, n), with a floating or complex dtype, which all operands share.
        input2: (*, m), with the leading dimensions of `input1`.
        weight: (features, n, m).
        bias: (features,), or None.

    Returns:
        (*, features).

    Raises:
        ValueError: if shapes do not fit.

    >>> from facula_tensor import tensor
    >>> bilinear(tensor([[1.0, 2.0]]), tensor([[3.0]]), tensor([[[1.0], [0.0]], [[0.0], [1.0]]]))
    tensor([[3., 6.]])
    """
    x, y, w = input1, input2, weight
    a, b, c = (layout_of_tensor(operand) for operand in (x, y, w))
    if len(c.shape) != 3 or not a.shape or a.shape[:-1] != b.shape[:-1] or (a.shape[-1], b.shape[-1]) != c.shape[1:]:
        raise ArgumentError(
            f"bilinear: expected input1 (*, n), input2 (*, m) and weight (features, n, m); got {a.shape}, "
            f"{b.shape} and {c.shape}"
        )
    if bias is not None and layout_of_tensor(as_tensor("bilinear", bias)).shape != c.shape[:1]:
        raise ArgumentError(f"bilinear: expected bias of shape {c.shape[:1]}; got {tuple(bias.shape)}")
    dtypes = [operand.dtype for operand in (x, y, w, *(() if bias is None else (bias,)))]
    if any([dtype is not dtypes[0] for dtype in dtypes]):
        raise DTypeError(f"bilinear: expected all in one dtype; got {', '.join([dtype.name for dtype in dtypes])}")
    (features, n, m), count = c.shape, prod(a.shape[:-1])
    turned = F.transpose(F.reshape(w, (features * n, m)), 0, 1)
    partial = F.reshape(F.matmul(F.reshape(y, (count, m)), turned), (count, features, n))
    made = F.reshape(F.matmul(partial, F.reshape(x, (count, n, 1))), (*a.shape[:-1], features))
    return made if bias is None else F.add(made, bias)
