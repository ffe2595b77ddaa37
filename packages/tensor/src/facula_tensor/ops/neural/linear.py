"""`linear`: rows times a matrix plus a bias, in one launch."""

from __future__ import annotations

from facula_errors import ArgumentError, DTypeError
from facula_storage import Layout, bfloat16, contiguous, float16, float32, float64

from ..._core.tensor import Tensor, layout_of_tensor
from ..._dispatch.declaration import operator

ROWS = ((0,), False)  # the parameters of a sum over the rows of a matrix


def _check_operands(x: Layout, w: Layout, b: Layout | None) -> None:
    if x.dtype is not w.dtype or (b is not None and b.dtype is not x.dtype):
        raise DTypeError(
            f"linear: expected all in one dtype; got input {x.dtype.name}, weight {w.dtype.name}"
            f"{'' if b is None else f', bias {b.dtype.name}'}; convert with .to()"
        )
    if not x.shape or len(w.shape) not in (1, 2) or x.shape[-1] != w.shape[-1]:
        raise ArgumentError(
            f"linear: expected weight (outputs, inputs) and input.shape[-1] == weight.shape[-1]; "
            f"got input {x.shape}, weight {w.shape}"
        )
    if b is not None and b.shape != w.shape[:-1]:
        raise ArgumentError(f"linear: expected bias of shape {w.shape[:-1]}; got {b.shape}")


def _is_one_product(x: Layout, w: Layout) -> bool:
    """Return whether a launch computes it: kernels of half precision exist on the CPU."""
    halves = x.device.type == "cpu" and x.dtype in (bfloat16, float16)
    return (halves or x.dtype in (float32, float64)) and len(w.shape) == 2


def _is_direct(x: Layout, w: Layout, b: Layout | None) -> bool:
    return _is_one_product(x, w) and (b is None or b.is_contiguous)


@operator
class linear:
    """Compute `input @ weight.T + bias`: input (..., inputs), weight (outputs, inputs), bias (outputs,); one dtype.

    Raises ValueError if shapes do not fit.

    Arguments:
        input: rows (..., inputs).
        weight: the matrix (outputs, inputs).
        bias: the row to add (outputs,); none if None.

    >>> from facula_tensor import tensor
    >>> linear(tensor([1.0, 2.0]), tensor([[3.0, 4.0]]), tensor([0.5]))
    tensor([11.5000])
    """

    inputs = ("input", "weight", "bias")
    optional = ("bias",)
    bilinear = ("input", "weight")
    linear = ("bias",)

    @staticmethod
    def signature(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> None: ...

    validate_layouts = _check_operands
    direct = _is_direct

    def batching(F, call):
        input, weight, bias = call.operands
        if not (call.batched[1] or call.batched[2]):
            return call.wrap(call.run(call.contents))
        product = F.matmul(input, F.mT(weight)) if call.batched[1] else F.linear(input, weight, None)
        return product if bias is None else F.add(product, bias)

    def decompose(F, operands, parameters):
        input, weight, bias = operands
        x, w, b = layout_of_tensor(input), layout_of_tensor(weight), None if bias is None else layout_of_tensor(bias)
        _check_operands(x, w, b)
        if _is_direct(x, w, b):
            return None
        if _is_one_product(x, w):
            return F.linear(input, weight, F.contiguous(bias))
        product = F.matmul(input, F.mT(weight) if len(w.shape) == 2 else weight)
        return product if bias is None else F.add(product, bias)

    def outputs(x, w, bias):
        return contiguous((*x.shape[:-1], w.shape[0]), x.dtype, x.device)

    def vjp_input(F, g, _input, weight):
        return F.matmul(g, weight)

    def vjp_weight(F, g, input):
        return F.linear_weight_grad(g, input)

    def vjp_bias(F, g, input_layout):
        ndim = len(input_layout.shape)
        return F.sum(g, ROWS if ndim == 2 else (tuple(range(ndim - 1)), False))


@operator
class _linear_weight_grad:
    """Compute grad.T @ input over all rows."""

    inputs = ("grad", "input")

    def direct(g, x):
        return len(x.shape) == 2

    def decompose(F, operands, parameters):
        g, x = operands
        if layout_of_tensor(x).ndim == 2:
            return None
        n, k = g.shape[-1], x.shape[-1]
        rows = 1
        for size in x.shape[:-1]:
            rows *= size
        return F.linear_weight_grad(F.reshape(g, (rows, n)), F.reshape(x, (rows, k)))

    def batching(F, call):
        grad, input = call.operands
        return F.matmul(F.mT(grad), input)

    def outputs(g, x):
        return contiguous((g.shape[-1], x.shape[-1]), x.dtype, x.device)

    def vjp_grad(F, g, _grad, input):
        return F.linear(input, g, None)

    def vjp_input(F, g, grad):
        return F.matmul(grad, g)
