"""Softmax and its logarithm, each with a fused gradient operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd.extend.nodes import LEAF
from facula_errors import DTypeError
from facula_storage import Layout, contiguous
from facula_storage.extend.layouts import FLOATING
from facula_storage.extend.objects import new_instance

from ...._core.promotion import as_dtype
from ...._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from ...._dispatch.arguments import needed_dim
from ...._dispatch.conversions import row_major
from ...._dispatch.declaration import operator
from ...._dispatch.namespaces import recorded_ops
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import function

if TYPE_CHECKING:
    from ...._core.types import DTypeLike, Function
    from ...._dispatch.kinds import Axis
    from ...._dispatch.namespaces import Namespace


def floating_like(layout: Layout, *rest: object) -> Layout:
    """Return the layout of a contiguous result with the operand's shape and dtype."""
    if layout.dtype.category != FLOATING:
        raise DTypeError(f"softmax: not defined for {layout.dtype.name}; convert with .float(), or give dtype=")
    return contiguous(layout.shape, layout.dtype, layout.device)


FEW = 8192  # elements for which a copy takes longer than reading them where they are


def adjacent(layout: Layout, *rest: Layout) -> bool:
    """Return whether elements of each layout are few, or adjacent along a dimension; kernels are slow for others."""
    return layout.numel < FEW or all([1 in one.strides or one.is_contiguous for one in (layout, *rest)])


@operator
class _log_softmax:
    """Compute x - log(sum(exp(x))) along a dimension, without overflow."""

    parameters = ("dim",)
    outputs = floating_like
    decompose = row_major("log_softmax", accepts=adjacent)
    direct = adjacent

    def vjp_input(F, g, out, _input_layout, dim):
        return F.log_softmax_grad(g, out, (dim,))


@operator
class _log_softmax_grad:
    """Compute g - exp(out) * sum(g) along a dimension."""

    inputs = ("input", "out_")
    parameters = ("dim",)
    decompose = row_major("log_softmax_grad", accepts=adjacent)
    direct = adjacent

    def outputs(layout, out_layout, dim):
        return floating_like(layout)

    def vjp_input(F, g, out_, dim):
        p = F.exp(out_)
        return F.sub(g, F.sum(F.mul(p, g), ((dim,), True)))

    def vjp_out_(F, g, input, out_, dim):
        return F.neg(F.mul(F.mul(g, F.exp(out_)), F.sum(input, ((dim,), True))))


@operator
class _softmax:
    """Compute exp(x) / sum(exp(x)) along a dimension, without overflow."""

    parameters = ("dim",)
    outputs = floating_like
    decompose = row_major("softmax", accepts=adjacent)
    direct = adjacent

    def vjp_input(F, g, out, _input_layout, dim):
        return F.softmax_grad(g, out, (dim,))


@operator
class _softmax_grad:
    """Compute out * (g - sum(g * out)) along a dimension."""

    inputs = ("input", "out_")
    parameters = ("dim",)
    decompose = row_major("softmax_grad", accepts=adjacent)
    direct = adjacent

    def outputs(layout, out_layout, dim):
        return floating_like(layout)

    def vjp_input(F, g, out_, dim):
        return F.softmax_grad(g, out_, (dim,))

    def vjp_out_(F, g, input, out_, dim):
        inner = F.sub(input, F.sum(F.mul(input, out_), ((dim,), True)))
        return F.sub(F.mul(g, inner), F.mul(input, F.sum(F.mul(g, out_), ((dim,), True))))


KNOWN: dict[tuple[int, int], tuple[int]] = {}  # parameters by (ndim, dim), because a lookup is faster


def by_any(
    operation: str, call: Function, input: Tensor, dim: int | None, dtype: DTypeLike | None, out: Tensor | None
) -> Tensor:
    """Apply the operator `call` along a dimension with any combination of options."""
    if dim is None:
        dim = needed_dim(operation, dim, None)
    input = steady(as_tensor(operation, input))
    ndim = len(layout_of_tensor(input).shape)
    if dtype is not None:
        input = recorded_ops.to(input, (as_dtype(dtype, operation),))
    at = check_dim(operation, dim, ndim)
    if not ndim:
        return write_out(operation, recorded_ops.squeeze(call(recorded_ops.unsqueeze(input, 0), (0,)), 0), out)
    if type(dim) is int:
        KNOWN[ndim, dim] = (at,)
    return call(input, (at,), out)


def by_dim(name: str, summary: str, example: str) -> Function:
    """Declare the public function of an operator."""

    @function(
        name=name, words={"name": name, "summary": summary, "example": example}, method=True, quick=True, inline=True
    )
    def along(
        F: Namespace,
        input: Tensor,
        dim: int | None = None,
        dtype: DTypeLike | None = None,
        *,
        axis: Axis = None,
        out: Tensor | None = None,
    ) -> Tensor:
        """{summary}

        The result has the shape and dtype of `input`. Half precisions are computed in float32.

        Arguments:
            dtype: the dtype to convert to first, which is also that of the result.

        >>> from facula_tensor import tensor
        >>> {name}(tensor([0.0, 0.0]), 0)
        {example}
        """
        if type(dim) is int and dtype is out is None:
            try:  # `steady` inlined: a call would cost as much as the rest
                layout = input._layout
                storage = input._storage
                offset = input._offset
                node = input.node
                parameters = KNOWN[len(layout.shape), dim]
            except (AttributeError, KeyError):  # not a plain tensor, or a new key
                pass
            else:
                if node is not LEAF:
                    input = new_instance(Tensor)
                    input._layout = layout
                    input._storage = storage
                    input._offset = offset
                    input.node = node
                return F.this(input, parameters)
        return by_any(F.this.__name__, F.this, input, dim, dtype, out)

    return along


softmax = by_dim("softmax", "exp(x) / sum(exp(x)) along `dim`.", "tensor([0.5000, 0.5000])")
log_softmax = by_dim("log_softmax", "The logarithm of softmax along `dim`.", "tensor([-0.6931, -0.6931])")
