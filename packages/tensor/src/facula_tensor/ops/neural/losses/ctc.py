"""Connectionist temporal classification: losses of sequences with unaligned targets.

A. Graves and others: Connectionist temporal classification, 2006.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from facula_autograd import enable_grad, grad
from facula_errors import ArgumentError, DTypeError
from facula_storage import Layout, contiguous, float32, float64, int64
from facula_storage.extend.layouts import INTEGER

from ...._core.promotion import as_integer
from ...._core.tensor import Tensor, layout_of_tensor
from ...._core.wrapped import is_differentiated
from ...._creation.from_data import tensor
from ...._creation.ranges import arange
from ...._dispatch.declaration import operator
from ...._dispatch.namespaces import no_record_ops, recorded_ops
from ...._dispatch.written import function
from .regression import reduced_losses

if TYPE_CHECKING:
    from ...._core.types import Parameters
    from ...._dispatch.kinds import Checked, Flag, Integer, Reduction
    from ...._dispatch.namespaces import Namespace

NEVER = -1e30  # replaces -inf, whose gradients would be NaN
ROUND = 8  # the longest target is rounded up to a multiple, for fewer plans


def _check_layouts(log_probs: Layout, targets: Layout, lengths: Layout, longest: int) -> None:
    """Check the shapes and the parameter `longest`; the kernel checks the elements."""
    if (
        len(log_probs.shape) != 3
        or lengths.shape != (log_probs.shape[1], 3)
        or lengths.dtype is not int64
        or longest < 0
    ):
        raise ArgumentError(
            f"ctc_loss: expected log_probs (steps, batch, classes) and lengths int64 (batch, 3); got {log_probs.shape} "
            f"and {lengths.dtype.name} {lengths.shape}"
        )


@operator
class _ctc_loss:
    """Compute the loss of each example, and the log probabilities of all paths to each state.

    Operands: log_probs (steps, batch, classes), targets of all examples, lengths (batch, 3) with the numbers of steps
        and targets and the start of the targets. See Note [States] in the CPU backend's ctc.dispatch.c.
    """

    inputs = ("log_probs", "targets", "lengths")
    parameters = ("longest", "blank", "zero_infinity")
    launch_scalars = ("blank", "zero_infinity")
    results = ("out", "alphas")

    def validate_layouts(log_probs, targets, lengths, longest, *launch):
        _check_layouts(log_probs, targets, lengths, longest)

    def decompose(F, operands, parameters):
        log_probs, targets, lengths = operands
        if not is_differentiated(operands):
            return None
        losses = composed_ctc_loss(log_probs, targets, lengths, parameters[1])  # Note [Levels]: the rule differentiates
        # For probabilities that sum to 1, as the rule assumes.
        inside = F.lt(F.unsqueeze(arange(log_probs.shape[0], device=log_probs.device), 1), lengths.select(1, 0))
        whole = F.sum(F.where(F.unsqueeze(inside, 2), F.exp(log_probs), 0), ((0, 2), False))
        losses = F.add(losses, F.sub(whole, whole.detach()))
        return F.where(F.lt(losses, -NEVER / 2), losses, 0.0 if parameters[2] else float("inf")), None

    def outputs(log_probs, targets, lengths, longest, blank, zero_infinity):
        steps, batch, _ = log_probs.shape
        dtype, device = log_probs.dtype, log_probs.device
        return contiguous((batch,), dtype, device), contiguous((batch, steps, 2 * longest + 1), dtype, device)

    def batching(F, call):
        log_probs, targets, lengths = joined(F, call, *call.operands)
        return call.split(call.run((log_probs, targets, lengths)))

    def vjp_all(F, g, edges, log_probs, targets, lengths, out, alphas, longest, blank, zero_infinity):
        parameters = (longest, blank, zero_infinity)
        return F.ctc_loss_gradient(g, log_probs, targets, lengths, out, alphas, parameters), None, None


@operator
class _ctc_loss_grad:
    """Compute the gradient of the log probabilities."""

    inputs = ("grad", "log_probs", "targets", "lengths", "losses", "alphas")
    parameters = ("longest", "blank", "zero_infinity")
    launch_scalars = ("blank", "zero_infinity")

    def validate_layouts(g, log_probs, targets, lengths, losses, alphas, longest, *launch):
        _check_layouts(log_probs, targets, lengths, longest)
        steps, batch, _ = log_probs.shape
        wanted = ((batch,), (batch,), (batch, steps, 2 * longest + 1))
        if (g.shape, losses.shape, alphas.shape) != wanted:
            raise ArgumentError(
                f"ctc_loss_grad: expected grad, losses and alphas of shapes {wanted}; "
                f"got {(g.shape, losses.shape, alphas.shape)}"
            )

    def batching(F, call):
        g, log_probs, targets, lengths, losses, alphas = call.operands
        rest = [F.contiguous(call.rows(operand)) for operand in (losses, alphas)]
        return call.split_channels(
            call.run((F.contiguous(call.rows(g)), *joined(F, call, log_probs, targets, lengths), *rest))
        )

    def outputs(g, log_probs, *rest):
        return contiguous(log_probs.shape, log_probs.dtype, log_probs.device)


def joined(F: Namespace, call: Any, log_probs: Tensor, targets: Tensor, lengths: Tensor) -> tuple[Tensor, ...]:
    """Join the operands of a batch of calls into those of one call with more examples."""
    size, count = call.size, layout_of_tensor(targets).numel
    starts = tensor([[[0, 0, count * i]] for i in range(size)], device=lengths.device)
    lengths = F.add(call.whole(lengths), F.to(starts, (layout_of_tensor(lengths).dtype,)))
    merged = F.reshape(lengths, (-1, 3))
    return F.contiguous(call.channels(log_probs)), F.contiguous(call.rows(targets)), merged


def _gradient(g: Tensor, log_probs: Tensor, targets: Tensor, lengths: Tensor, out: Tensor, alphas: Tensor,
              parameters: Parameters) -> Tensor:  # fmt: skip
    """Return the gradient of `log_probs` by the kernel; operands, results and parameters are those of `ctc_loss`."""
    return no_record_ops.ctc_loss_grad(
        no_record_ops.contiguous(g), log_probs, targets, lengths, out, alphas, parameters
    )


def _recorded_gradient(g: Tensor, log_probs: Tensor, targets: Tensor, lengths: Tensor, out: Tensor, alphas: Tensor,
                       parameters: Parameters) -> Tensor:  # fmt: skip
    """Return the gradient of `log_probs` from the operands, by differentiable operators."""
    F, (_, blank, zero_infinity) = recorded_ops, parameters
    with enable_grad():
        losses = composed_ctc_loss(log_probs, targets, lengths, blank)
        possible = F.lt(out, float("inf"))
        (slope,) = grad(F.sum(F.mul(F.where(possible, losses, 0), g), ((0,), False)), log_probs, create_graph=True)
        counts = F.lt(F.unsqueeze(arange(log_probs.shape[0], device=log_probs.device), 1), lengths.select(1, 0))
        result = F.add(slope, F.mul(F.mul(F.exp(log_probs), F.unsqueeze(g, 1)), F.unsqueeze(counts, 2)))
        missing = 0.0 if zero_infinity else float("nan")
        return F.where((possible | ~counts).unsqueeze(2), result, missing)


no_record_ops.ctc_loss_gradient, recorded_ops.ctc_loss_gradient = _gradient, _recorded_gradient


def composed_ctc_loss(log_probs: Tensor, targets: Tensor, lengths: Tensor, blank: int) -> Tensor:
    """Return the losses, step by step by differentiable operators; operands are those of `ctc_loss`."""
    steps, batch, _ = log_probs.shape
    given, counts, starts = lengths.unbind(1)
    longest, device = int(counts.amax()), log_probs.device
    states, never = arange(2 * longest + 1, device=device), tensor(NEVER, dtype=log_probs.dtype, device=device)
    places = (starts.unsqueeze(1) + states // 2).clamp(0, max(targets.numel() - 1, 0))
    inside = (states % 2 == 1) & (states < 2 * counts.unsqueeze(1))
    classes = (targets.reshape(-1)[places] if targets.numel() else places * 0).where(
        inside, tensor(blank, device=device)
    )
    skips = inside & (states > 1) & (classes != classes.roll(2, 1))
    now = log_probs.clamp(min=NEVER).gather(2, classes.unsqueeze(0).expand(steps, batch, 2 * longest + 1))
    alpha = now[0].where(states < 2, never) if steps else now.sum(0)
    nothing = log_probs.new_full((batch, 2), NEVER)
    for t in range(1, steps):
        wide = recorded_ops.cat((nothing, alpha), (1,))
        before, skipped = wide[:, 1:-1], wide[:, :-2].where(skips, never)
        alpha_next = recorded_ops.logaddexp(recorded_ops.logaddexp(alpha, before), skipped) + now[t]
        alpha = alpha_next.where((given > t).unsqueeze(1), alpha)
    last = alpha.gather(1, (2 * counts).unsqueeze(1)).squeeze(1)
    other = alpha.gather(1, (2 * counts - 1).clamp(min=0).unsqueeze(1)).squeeze(1)
    total = recorded_ops.logaddexp(last, other.where(counts > 0, never))
    return -total.where(given > 0, total.detach() * 0)


@function(overridable=True)
def ctc_loss(
    F: Namespace,
    log_probs: Checked,
    targets: Checked,
    input_lengths: Tensor | Sequence[int] | int,
    target_lengths: Tensor | Sequence[int] | int,
    blank: Integer = 0,
    reduction: Reduction = "mean",
    zero_infinity: Flag = False,
) -> Tensor:
    """Compute the negative log probability of `targets`, summed over all alignments with the sequences.

    One example may omit its dimension: (T, C), (S), () and (). A target that is too long for its sequence has the loss
    inf and NaN gradients. As in PyTorch, gradients are those of the input of `log_softmax`; the rule of `log_softmax`
    leaves them unchanged.

    Arguments:
        log_probs: (T, N, C), the result of `log_softmax`; float32 or float64.
        targets: class numbers, padded (N, S), or concatenated.
        input_lengths: the number of valid steps of each sequence, (N,).
        target_lengths: the number of classes of each target, (N,).
        blank: the class that stands for no output.
        reduction: "none", "sum", or "mean", which first divides losses by the target lengths (at least 1).
        zero_infinity: whether to replace infinite losses and their gradients by 0.

    Raises:
        ValueError: if lengths do not fit.
        IndexError: if a target is not a class.

    >>> from facula_tensor import tensor
    >>> log_probs = tensor([[[0.5, 0.5]], [[0.5, 0.5]]]).log()
    >>> ctc_loss(log_probs, tensor([[1]]), [2], [1])
    tensor(0.2877)
    """
    name, x, given, classes = "ctc_loss", log_probs, layout_of_tensor(log_probs), layout_of_tensor(targets)
    if given.dtype not in (float32, float64):
        raise DTypeError(f"{name}: defined for float32 and float64; got {given.dtype.name}; convert with .float()")
    if classes.dtype.category != INTEGER:
        raise DTypeError(f"{name}: expected targets of classes to be int64; got {classes.dtype.name}; use .long()")
    if len(given.shape) not in (2, 3) or not given.shape[-1]:
        raise ArgumentError(f"{name}: expected log_probs (T, N, C) or (T, C); got shape {given.shape}")
    alone = len(given.shape) == 2
    if alone:
        x = F.unsqueeze(x, 1)
        given = layout_of_tensor(x)
    steps, batch, count = given.shape
    if not 0 <= blank < count:
        raise ArgumentError(f"{name}: expected blank to be one of {count} classes; got {blank}")
    inputs = sequence_lengths(name, "input_lengths", input_lengths, batch, steps)
    lengths = sequence_lengths(name, "target_lengths", target_lengths, batch, None)
    starts = starts_of(name, classes.shape, lengths, alone)
    numbers = [number for three in zip(inputs, lengths, starts, strict=True) for number in three]
    table = tensor(numbers, dtype=int64, device=x.device).reshape(batch, 3)
    longest = -(-max(lengths, default=0) // ROUND) * ROUND
    ready = F.contiguous(F.to(targets, (int64,)))
    losses = F.ctc_loss(x, ready, table, (longest, blank, int(bool(zero_infinity))))[0]
    if zero_infinity:
        losses = F.where(F.eq(losses, float("inf")), 0, losses)
    if reduction == "mean":
        losses = F.div(losses, tensor([max(length, 1) for length in lengths], dtype=given.dtype, device=x.device))
    return reduced_losses(F.squeeze(losses, 0) if alone else losses, reduction)


def sequence_lengths(
    name: str, what: str, given: Tensor | Sequence[int] | int, batch: int, most: int | None
) -> list[int]:
    """Return the lengths `given`, called `what` in errors, as a list.

    Raises ValueError unless there are `batch` of them, from 0 to `most` (unbounded if None).
    """
    if isinstance(given, Tensor):
        if given.dtype.category != INTEGER:
            raise DTypeError(f"{name}: expected {what} to be integers; got {given.dtype.name}; use .long()")
        items: Iterable[int] = given.reshape(-1).tolist()
    else:
        items = given if isinstance(given, Iterable) else [given]
    lengths = [item if type(item) is int else as_integer(item, name, what) for item in items]
    if len(lengths) != batch:
        raise ArgumentError(f"{name}: expected {what} of {batch} examples, as log_probs has; got {len(lengths)}")
    for at, length in enumerate(lengths):
        if length < 0 or (most is not None and length > most):
            bound = "at least 0" if most is None else f"from 0 to {most}, the steps of log_probs"
            raise ArgumentError(f"{name}: expected {what} {bound}; got {length} at {at}")
    return lengths


def starts_of(name: str, shape: tuple[int, ...], lengths: list[int], alone: bool) -> list[int]:
    """Return the start of each example's targets; ValueError if their shape does not fit the lengths.

    `alone`: there is one example, without a batch dimension.
    """
    longest = max(lengths, default=0)
    if len(shape) == 2 and not alone:
        if shape[0] != len(lengths) or shape[1] < longest:
            raise ArgumentError(
                f"{name}: expected targets of shape ({len(lengths)}, {longest} or more), or one after another; "
                f"got shape {shape}"
            )
        return [at * shape[1] for at in range(len(lengths))]
    total = sum(lengths)
    if len(shape) != 1 or (shape[0] < total if alone else shape[0] != total):
        raise ArgumentError(
            f"{name}: expected {total} targets one after another, as target_lengths say; got shape {shape}"
        )
    return [0, *accumulate(lengths)][: len(lengths)]
