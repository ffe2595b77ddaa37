"""Recurrent layers over whole sequences, one layer in one direction: LSTM, GRU and RNN.

S. Hochreiter, J. Schmidhuber: Long short-term memory, Neural Computation 9, 1997. K. Cho et al.: Learning phrase
representations using RNN encoder-decoder, 2014. J. L. Elman: Finding structure in time, Cognitive Science 14, 1990.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd import enable_grad, grad
from facula_autograd.extend.modes import replace_mode
from facula_autograd.extend.nodes import Gradients, Node, output_node
from facula_errors import ArgumentError, DTypeError, NumberOverflowError
from facula_storage import Layout, contiguous, float32, float64, int64

from ..._core.tensor import Tensor, layout_of_tensor, snapshot
from ..._core.wrapped import is_differentiated
from ..._dispatch.autocast import autocast_state, recurrent_operands
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from .recurrent_steps import all_steps

if TYPE_CHECKING:
    from ..._core.types import Layouts, Operands

KINDS = {"lstm": (4, 4), "gru": (4, 3), "rnn_tanh": (1, 1), "rnn_relu": (1, 1)}  # saved values and weight rows per unit
OPERANDS = ("input", "h0", "c0", "weight_ih", "weight_hh", "bias_ih", "bias_hh", "sizes")
OPTIONAL = ("h0", "c0", "bias_ih", "bias_hh", "sizes")


def _expect(name: str, given: Layout | None, shape: tuple[int, ...], input: Layout) -> None:
    """Check that the operand `name` is omitted, or has `shape` and the dtype of the input."""
    if given is None:
        return
    if given.shape != shape:
        raise ArgumentError(f"recurrent: expected {name} of shape {shape}; got {given.shape}")
    if given.dtype is not input.dtype:
        raise DTypeError(
            f"recurrent: expected all in one dtype; got input {input.dtype.name}, {name} {given.dtype.name}"
        )


def check_recurrent(layouts: Layouts, kind: str) -> None:
    """Check the operands of a layer: all preconditions of the kernel, except the values of sizes."""
    input, h0, c0, weight_ih, weight_hh, bias_ih, bias_hh, sizes = layouts
    if kind not in KINDS:
        raise ArgumentError(f"recurrent: expected kind to be one of {', '.join(KINDS)}; got {kind!r}")
    if input.dtype not in (float32, float64):
        raise DTypeError(f"recurrent: defined for float32 and float64; got {input.dtype.name}; convert with .float()")
    if len(input.shape) != (3 if sizes is None else 2):
        expected = "(steps, batch, inputs)" if sizes is None else "(rows, inputs), as sizes are given"
        raise ArgumentError(f"recurrent: expected input {expected}; got {input.shape}")
    if len(weight_hh.shape) != 2 or not weight_hh.shape[1]:
        raise ArgumentError(
            f"recurrent: expected weight_hh of shape ({KINDS[kind][1]} * hidden, hidden); got {weight_hh.shape}"
        )
    hidden = weight_hh.shape[1]
    rows = KINDS[kind][1] * hidden
    if sizes is None:
        batch = input.shape[1]
    else:
        if sizes.dtype is not int64 or len(sizes.shape) != 1:
            raise DTypeError(f"recurrent: expected sizes to be int64 (steps,); got {sizes.dtype.name} {sizes.shape}")
        if h0 is None or len(h0.shape) != 2:
            raise ArgumentError(
                f"recurrent: expected h0 (batch, hidden) with sizes; got {None if h0 is None else h0.shape}"
            )
        batch = h0.shape[0]
    if c0 is not None and kind != "lstm":
        raise ArgumentError(f"recurrent: expected no c0, which an lstm has; got one for {kind}")
    _expect("weight_ih", weight_ih, (rows, input.shape[-1]), input)
    _expect("weight_hh", weight_hh, (rows, hidden), input)
    for name, given in (("h0", h0), ("c0", c0)):
        _expect(name, given, (batch, hidden), input)
    for name, given in (("bias_ih", bias_ih), ("bias_hh", bias_hh)):
        _expect(name, given, (rows,), input)


@operator
class _recurrent:
    """Run a layer over sequences: return all outputs, the last states, and values for the backward pass.

    The input is (steps, batch, inputs), or packed rows with `sizes` (steps,). See `recurrent_layer`.
    """

    inputs = OPERANDS
    optional = OPTIONAL
    parameters = ("kind", "reverse")
    results = ("out", "h_n", "c_n", "saved", "cells")
    row_major = True

    def decompose(F, operands, parameters):
        check_recurrent(
            tuple([None if operand is None else layout_of_tensor(operand) for operand in operands]), parameters[0]
        )
        if is_differentiated(operands):  # Note [Levels]: the rule differentiates
            *tensors, sizes = operands
            return *all_steps(F, *parameters, *tensors, None, sizes), None, None  # type: ignore[call-arg]
        return None

    def batching(F, call):
        input, h0, c0, *weights, sizes = call.operands
        if sizes is not None or any(call.batched[3:]):
            return *all_steps(F, *call.parameters, input, h0, c0, *weights, None, sizes), None, None  # type: ignore[call-arg]
        states = [None if state is None else call.rows(state) for state in (h0, c0)]
        out, h_n, c_n, saved, cells = call.run((F.contiguous(call.channels(input)), *states, *weights, sizes))
        if cells is not None and layout_of_tensor(cells).numel:
            cells = F.reshape(cells, (input.shape[0], -1, cells.shape[-1]))
            cells = F.movedim(F.reshape(cells, (input.shape[0], call.size, -1, cells.shape[-1])), 1, 0)
            cells = call.wrap(F.reshape(cells, (call.size, -1, cells.shape[-1])))
        else:
            cells = call.split(cells)
        return call.split_channels(out), call.split(h_n), call.split(c_n), call.split_channels(saved), cells

    def validate_layouts(*arguments):
        *operands, kind, _ = arguments
        check_recurrent(tuple(operands), kind)

    def outputs(input, h0, c0, weight_ih, weight_hh, bias_ih, bias_hh, sizes, kind, reverse):
        rows, hidden, dtype, device = input.shape[:-1], weight_hh.shape[1], input.dtype, input.device
        count = 1
        for length in rows:
            count *= length
        state = contiguous((rows[1] if sizes is None else h0.shape[0], hidden), dtype, device)
        none = contiguous((0,), dtype, device)
        out, saved = (contiguous((*rows, n), dtype, device) for n in (hidden, KINDS[kind][0] * hidden))
        if kind != "lstm":
            return out, state, none, saved, none
        return out, state, state, saved, contiguous((count, hidden), dtype, device)

    def vjp_all(F, g, edges, input, h0, c0, weight_ih, weight_hh, bias_ih, bias_hh, sizes, out, saved, cells, kind,
                    reverse):  # fmt: skip
        given = g if type(g) is Gradients else (g, None, None)
        operands = (input, h0, c0, weight_ih, weight_hh, bias_ih, bias_hh, sizes)
        return F.recurrent_gradients(given, edges, operands, out, saved, cells, kind, reverse)


@operator
class _recurrent_grad:
    """Compute the gradients of weights, biases, input and first states; unrequired ones are empty."""

    inputs = (*OPERANDS[:5], "out", "saved", "cells", "sizes", "out_grad", "h_n_grad", "c_n_grad")
    optional = ("h0", "c0", "sizes", "out_grad", "h_n_grad", "c_n_grad")
    parameters = ("kind", "reverse", "wants_input", "wants_state", "wants_weights", "wants_bias")

    results = ("weight_ih_grad", "weight_hh_grad", "bias_ih_grad", "bias_hh_grad", "input_grad", "h0_grad", "c0_grad")

    def validate_layouts(
        input, h0, c0, weight_ih, weight_hh, out, saved, cells, sizes, out_grad, h_n_grad, c_n_grad, kind, *wanted
    ):
        check_recurrent((input, h0, c0, weight_ih, weight_hh, None, None, sizes), kind)
        made = _recurrent_outputs(input, h0, c0, weight_ih, weight_hh, None, None, sizes, kind, wanted[0])
        pairs = zip((out, h_n_grad, c_n_grad, saved, cells), made, strict=True)
        for given, layout in (*pairs, (out_grad, made[0])):
            if given is not None and (given.shape != layout.shape or given.dtype is not layout.dtype):
                raise ArgumentError(
                    f"recurrent_grad: expected results and gradients of shapes {[result.shape for result in made]}; "
                    f"got {given.shape}"
                )

    def outputs(input, h0, c0, weight_ih, weight_hh, out, saved, cells, sizes, out_grad, h_n_grad, c_n_grad,
                kind, reverse, wants_input, wants_state, wants_weights, wants_bias):  # fmt: skip
        state = contiguous((out.shape[1] if sizes is None else h0.shape[0], weight_hh.shape[1]), out.dtype, out.device)
        none = contiguous((0,), out.dtype, out.device)
        weights = [contiguous(weight.shape, out.dtype, out.device) for weight in (weight_ih, weight_hh)]
        bias = contiguous(weight_hh.shape[:1], out.dtype, out.device)
        return (
            *(weights if wants_weights else (none, none)),
            *((bias, bias) if wants_bias else (none, none)),
            contiguous(input.shape, out.dtype, out.device) if wants_input else none,
            state if wants_state else none,
            state if wants_state and kind == "lstm" else none,
        )


_recurrent_outputs = _recurrent.operator.outputs  # type: ignore[attr-defined]


def _recurrent_gradients(
    given: tuple[Tensor | None, ...],
    edges: tuple[object, ...],
    operands: Operands,
    out: Tensor | None,
    saved: Tensor | None,
    cells: Tensor | None,
    kind: str,
    reverse: bool,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of the operands, from the given gradients of out, h_n and c_n."""
    # Leaves may be subclasses that override operators; rules receive plain tensors.
    input, h0, c0, weight_ih, weight_hh, _, _, sizes = [
        None if operand is None else snapshot(operand) for operand in operands
    ]
    of_out, of_h, of_c = [None if gradient is None else no_record_ops.contiguous(gradient) for gradient in given]
    wanted = [edge is not None for edge in edges]
    parameters = (kind, reverse, wanted[0], wanted[1] or wanted[2], wanted[3] or wanted[4], wanted[5] or wanted[6])
    w_ih, w_hh, b_ih, b_hh, x, h, c = no_record_ops.recurrent_grad(
        input, h0, c0, weight_ih, weight_hh, out, saved, cells, sizes, of_out, of_h, of_c, parameters
    )
    return x, h, c, w_ih, w_hh, b_ih, b_hh, None


def _recorded_recurrent_gradients(
    given: tuple[Tensor | None, ...],
    edges: tuple[object, ...],
    operands: Operands,
    out: Tensor | None,
    saved: Tensor | None,
    cells: Tensor | None,
    kind: str,
    reverse: bool,
) -> tuple[Tensor | None, ...]:
    """Return the same gradients by differentiable operators, step by step.

    Each operand is accessed through a separate view, because two operands may be the same tensor.
    """
    with enable_grad():
        views = [
            operand if edge is None else recorded_ops.view(operand, layout_of_tensor(operand).shape)
            for operand, edge in zip(operands, edges)
        ]
        *tensors, sizes = views
        results = all_steps(recorded_ops, kind, reverse, *tensors, None, sizes)  # type: ignore[arg-type, call-arg]
        pairs = [(made, g) for made, g in zip(results, given, strict=True) if g is not None]
        wanted = [view for view, edge in zip(views, edges, strict=True) if edge is not None]
        made = iter(
            grad(
                [result for result, _ in pairs],  # type: ignore[misc]
                wanted,
                [g for _, g in pairs],
                create_graph=True,
                allow_unused=True,
                materialize_grads=True,
            )
        )
    return tuple([None if edge is None else next(made) for edge in edges])


no_record_ops.recurrent_gradients, recorded_ops.recurrent_gradients = (
    _recurrent_gradients,
    _recorded_recurrent_gradients,
)


def recurrent_layer(
    kind: str,
    input: Tensor,
    h0: Tensor | None,
    c0: Tensor | None,
    weights: tuple[Tensor | None, ...],
    reverse: bool = False,
    sizes: Tensor | None = None,
    as_input: bool = False,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Run a layer of "lstm", "gru", "rnn_tanh" or "rnn_relu" over sequences, in one direction: (outputs, h_n, c_n).

    float32 and float64; half precision is computed in float32. In mixed precision, results have the lower dtype, except
    that "gru", and "lstm" with `as_input`, return the input's dtype.

    Arguments:
        kind: "lstm", "gru", "rnn_tanh" or "rnn_relu".
        input: (steps, batch, inputs); or (rows, inputs) of packed sequences, grouped by step.
        h0: the initial state, (batch, hidden); zeros if None. Packed sequences require it.
        c0: an LSTM's initial cell state, (batch, hidden); zeros if None.
        weights: weight_ih (gates * hidden, inputs), weight_hh (gates * hidden, hidden), two biases (gates * hidden,),
            or None for both, and optionally weight_hr (projected, hidden), which projects an LSTM's outputs.
        reverse: whether to process the sequences backward.
        sizes: the number of rows in each step of packed sequences, (steps,), int64; None for others.
        as_input: whether an LSTM's results have the input's dtype in mixed precision.

    Returns:
        The outputs of all steps, the last state, and the last cell state (None except for an LSTM).

    Raises:
        ValueError: if shapes do not fit.

    >>> from facula_tensor import ones
    >>> outputs, last, _ = recurrent_layer("rnn_relu", ones(3, 1, 2), None, None, (ones(1, 2), ones(1, 1), None, None))
    >>> outputs.flatten().tolist(), last.tolist()
    ([2.0, 4.0, 6.0], [[6.0]])
    """
    weight_ih, weight_hh, bias_ih, bias_hh, *rest = weights
    dtype = layout_of_tensor(input).dtype
    F = recorded_ops
    state = autocast_state()
    if state is not None:  # Note [Autocast]
        lowered = recurrent_operands(
            state, (input, h0, c0, *weights), lower=kind[:3] == "rnn" or (kind == "lstm" and not as_input)
        )
        with replace_mode(autocast=None):
            x, h, c, *rest = lowered
            return recurrent_layer(kind, x, h, c, tuple(rest), reverse, sizes)  # type: ignore[arg-type]
    if dtype.is_floating_point and dtype.itemsize < 4:
        wide = [None if operand is None else F.to(operand, (float32,)) for operand in (input, h0, c0, *weights)]
        x, h, c, *rest = wide
        found = recurrent_layer(kind, x, h, c, tuple(rest), reverse, sizes)  # type: ignore[arg-type]
        return tuple([None if result is None else F.to(result, (dtype,)) for result in found])  # type: ignore[return-value]
    operands = (input, h0, c0, weight_ih, weight_hh, bias_ih, bias_hh)
    if rest or is_differentiated(operands):
        return all_steps(F, kind, reverse, *operands, rest[0] if rest else None, sizes)  # type: ignore[arg-type, call-arg]
    try:
        out, h_n, c_n, _, _ = F.recurrent(*operands, sizes, (kind, reverse))
    except NumberOverflowError:  # the kernel rejected the sizes
        if sizes is None or h0 is None:
            raise
        raise ArgumentError(
            f"recurrent: expected sizes in decreasing order, {h0.shape[0]} first, {input.shape[0]} together; "
            f"got {sizes.tolist()!r:.80}"
        ) from None
    node = out.node
    if isinstance(node, Node):  # one node per result; it refers to h_n and c_n, which others may replace
        out.node = output_node(node, 0, 3)
        h_n, c_n = snapshot(h_n), snapshot(c_n)
        h_n.node = output_node(node, 1, 3)
        if kind == "lstm":
            c_n.node = output_node(node, 2, 3)
    return out, h_n, c_n if kind == "lstm" else None
