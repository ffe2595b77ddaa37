"""Softmax and its logarithm, each with the fused operator of its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd.extend import LEAF
from facula_errors import DTypeError, FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import Layout, contiguous
from facula_storage.extend import FLOATING, new_instance

from .._core.promotion import as_dtype
from .._core.tensor import Tensor, check_dim, layout_of_tensor, method, steady
from .._dispatch.declaration import operator
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from .reduction.reducing import needed_dim

if TYPE_CHECKING:
    from .._core.types import DTypeLike, Function

__all__ = ["log_softmax", "softmax"]


def like(layout: Layout, *rest: object) -> Layout:
    """A contiguous result of the operand's shape and dtype."""
    if layout.dtype.category != FLOATING:
        raise DTypeError(f"softmax: not defined for {layout.dtype.name}; convert with .float(), or give dtype=")
    return contiguous(layout.shape, layout.dtype, layout.device)


@operator
class _log_softmax:
    """x - log(sum(exp(x))) along a dimension, without overflow."""

    parameters = ("dim",)
    outputs = like

    def vjp_input(F, g, out, _input_layout, dim):
        return F.log_softmax_grad(g, out, (dim,))


@operator
class _log_softmax_grad:
    """g - exp(out) * sum(g) along a dimension."""

    inputs = ("input", "out_")
    parameters = ("dim",)

    def outputs(layout, out_layout, dim):
        return like(layout)

    def vjp_input(F, g, out_, dim):
        p = F.exp(out_)
        return F.sub(g, F.sum(F.mul(p, g), ((dim,), True)))

    def vjp_out_(F, g, input, out_, dim):
        return F.neg(F.mul(F.mul(g, F.exp(out_)), F.sum(input, ((dim,), True))))


@operator
class _softmax:
    """exp(x) / sum(exp(x)) along a dimension, without overflow."""

    parameters = ("dim",)
    outputs = like

    def vjp_input(F, g, out, _input_layout, dim):
        return F.softmax_grad(g, out, (dim,))


@operator
class _softmax_grad:
    """out * (g - sum(g * out)) along a dimension."""

    inputs = ("input", "out_")
    parameters = ("dim",)

    def outputs(layout, out_layout, dim):
        return like(layout)

    def vjp_input(F, g, out_, dim):
        return F.softmax_grad(g, out_, (dim,))

    def vjp_out_(F, g, input, out_, dim):
        inner = F.sub(input, F.sum(F.mul(input, out_), ((dim,), True)))
        return F.sub(F.mul(g, inner), F.mul(input, F.sum(F.mul(g, out_), ((dim,), True))))


_known: dict[tuple[int, int], tuple[int]] = {}  # parameters by number of dimensions and dim: looking is quicker


def _along(
    operation: str,
    call: Function,
    input: Tensor,
    dim: int | None,
    axis: int | None,
    dtype: DTypeLike | None,
    out: Tensor | None,
) -> Tensor:
    """The operator `call` along a dimension as users give it."""
    if axis is not None or dim is None:
        dim = needed_dim(operation, dim, axis)
    input = steady(as_tensor(operation, input))
    ndim = len(layout_of_tensor(input).shape)
    if dtype is not None:
        input = recorded_ops.to(input, (as_dtype(dtype, operation),))
    at = check_dim(operation, dim, ndim)
    if not ndim:
        return write_out(operation, recorded_ops.squeeze(call(recorded_ops.unsqueeze(input, 0), (0,)), 0), out)
    if type(dim) is int:
        _known[ndim, dim] = (at,)
    return call(input, (at,), out)


@overridable
@method()
def log_softmax(
    input: Tensor,
    dim: int | None = None,
    dtype: DTypeLike | None = None,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The logarithm of softmax along `dim`: shape and dtype as `input`. Half precisions are computed in float32.

    Arguments:
        input: the tensor.
        dim: the dimension.
        dtype: the dtype to convert to first; that of the result.
        axis: NumPy's name of `dim`.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> log_softmax(tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931])
    """
    try:
        if type(dim) is int and axis is dtype is out is None:
            try:  # `steady`, written out: a call would cost as much as the rest
                layout = input._layout
                storage = input._storage
                offset = input._offset
                node = input.node
                parameters = _known[len(layout.shape), dim]
            except (AttributeError, KeyError):  # no tensor, or one that overrides; or new
                pass
            else:
                if node is not LEAF:
                    input = new_instance(Tensor)
                    input._layout = layout
                    input._storage = storage
                    input._offset = offset
                    input.node = node
                return recorded_ops.log_softmax(input, parameters)
        return _along("log_softmax", recorded_ops.log_softmax, input, dim, axis, dtype, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def softmax(
    input: Tensor,
    dim: int | None = None,
    dtype: DTypeLike | None = None,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`: shape and dtype as `input`. Half precisions are computed in float32.

    Arguments:
        input: the tensor.
        dim: the dimension.
        dtype: the dtype to convert to first; that of the result.
        axis: NumPy's name of `dim`.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> softmax(tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    try:
        if type(dim) is int and axis is dtype is out is None:
            try:  # `steady`, written out: a call would cost as much as the rest
                layout = input._layout
                storage = input._storage
                offset = input._offset
                node = input.node
                parameters = _known[len(layout.shape), dim]
            except (AttributeError, KeyError):  # no tensor, or one that overrides; or new
                pass
            else:
                if node is not LEAF:
                    input = new_instance(Tensor)
                    input._layout = layout
                    input._storage = storage
                    input._offset = offset
                    input.node = node
                return recorded_ops.softmax(input, parameters)
        return _along("softmax", recorded_ops.softmax, input, dim, axis, dtype, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
