"""Scaled dot product attention. A. Vaswani and others: Attention is all you need, 2017."""

from __future__ import annotations

from math import inf, prod, sqrt
from typing import TYPE_CHECKING, Any

from facula_autograd import is_grad_enabled
from facula_errors import ArgumentError, DTypeError
from facula_storage import Layout, contiguous, float32, float64
from facula_storage.extend.layouts import BOOL, FLOATING

from ..._core.memory import dense_in_order
from ..._core.promotion import as_real
from ..._core.tensor import Tensor, layout_of_tensor
from ..._core.wrapped import is_variable
from ..._creation.batches import for_each_draw, open_batches
from ..._creation.generator import default_generators
from ..._creation.ranges import arange
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._core.types import Parameters
    from ..._dispatch.kinds import Checked, Flag, Float, Truth
    from ..._dispatch.namespaces import Namespace

Gradients = tuple[Tensor, Tensor, Tensor]  # gradients of query, key and value
Operands = tuple[Tensor, Tensor, Tensor, Tensor | None]  # query, key, value and mask

OPERANDS = ("query", "key", "value", "attn_mask")
PARAMETERS = ("is_causal", "scale", "share", "seed", "offset")


def rows_ready(F: Namespace, operand: Tensor) -> Tensor:
    """Return the operand, or a copy whose rows are contiguous."""
    layout = layout_of_tensor(operand)
    return operand if layout.shape[-1] <= 1 or layout.strides[-1] == 1 else F.contiguous(operand)


def batched_attention(call: Any, place: int) -> Any:
    """Batch attention as additional leading dimensions. `place` is the position of the mask, which broadcasts.

    Logarithms of sums come after the other operands of gradients and are row-major; shared ones would be expanded.
    """
    F = call.F
    if call.parameters[2] and call.level.randomness == "same":
        return call.each()
    wholes: list[Any] = [one if one is None else rows_ready(F, call.whole(one)) for one in call.operands]
    wholes[6:] = [F.contiguous(sums) for sums in wholes[6:]]
    mask = call.aligned()[place]
    if mask is not None:
        mask = F.expand(mask, (*wholes[0].shape[:-2], *mask.shape[-2:]))
    wholes[place] = mask
    return call.wrap(call.run(tuple(wholes)))


@operator
class _attention:
    """Compute softmax(scale query @ key.T + attn_mask) @ value of operands with equal leading dimensions.

    Fully masked rows are 0. `lse` contains the logarithms of the sums of exponentials. Dropout zeroes some
    probabilities, selected by seed and offset, and scales up the others. The mask has no gradient here.

    `out` has the memory order of the query, without gaps, and gradients have that of their operands: a program that
    transposes heads before and after needs no copies.
    """

    inputs = OPERANDS
    optional = ("attn_mask",)
    parameters = PARAMETERS
    launch_scalars = PARAMETERS[1:]
    results = ("out", "lse")

    def decompose(F, operands, parameters):
        ready = tuple([rows_ready(F, operand) for operand in operands[:3]])
        if all([a is b for a, b in zip(ready, operands, strict=False)]):
            return None
        return F.attention(*ready, operands[3], parameters)

    def batching(F, call):
        return batched_attention(call, 3)

    def outputs(query, key, value, attn_mask, *parameters):
        rows = query.shape[:-1]
        exact = float64 if query.dtype is float64 else float32
        return dense_in_order(query, value.shape[-1]), contiguous(rows, exact, query.device)

    def vjp_all(F, g, edges, query, key, value, attn_mask, out, lse, is_causal, scale, share, seed, offset):
        parameters = (is_causal, scale, share, seed, offset)
        return (*F.attention_gradients(g, query, key, value, attn_mask, out, lse, parameters), None)


@operator
class _attention_grad:
    """Compute the gradients of query, key and value."""

    inputs = ("grad", *OPERANDS, "out_", "lse")
    optional = ("attn_mask",)
    parameters = PARAMETERS
    launch_scalars = PARAMETERS[1:]

    def batching(F, call):
        return batched_attention(call, 4)

    def outputs(g, query, key, value, *rest):
        return tuple([dense_in_order(layout, layout.shape[-1]) for layout in (query, key, value)])


def _attention_gradients(
    g: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    out: Tensor,
    lse: Tensor,
    rest: Parameters,
) -> Gradients:
    """Return the gradients of query, key and value by the kernel; operands and results are those of `attention`."""
    dense = rows_ready(no_record_ops, g)
    return no_record_ops.attention_grad(dense, query, key, value, mask, out, lse, rest)  # type: ignore[return-value]


def _recorded_attention_gradients(
    g: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    out: Tensor,
    lse: Tensor,
    rest: Parameters,
) -> Gradients:
    """Return the gradients of query, key and value from the operands, by differentiable operators."""
    F, layouts = recorded_ops, [layout_of_tensor(operand) for operand in (query, key, value)]
    g, query, key, value = [widened_operand(operand) for operand in (g, query, key, value)]
    probabilities = probabilities_of(query, key, mask, rest)
    kept, slope = probabilities, F.matmul(g, F.mT(value))
    pattern = dropout_pattern(probabilities, rest)
    if pattern is not None:
        kept, slope = F.mul(kept, pattern), F.mul(slope, pattern)
    last = len(layouts[0].shape) - 1
    slope = F.mul(F.softmax_grad(slope, probabilities, (last,)), rest[1])
    found = (F.matmul(slope, key), F.matmul(F.mT(slope), query), F.matmul(F.mT(kept), g))
    of_query, of_key, of_value = [
        F.to(gradient, (layout.dtype,)) for gradient, layout in zip(found, layouts, strict=True)
    ]
    return of_query, of_key, of_value


no_record_ops.attention_gradients, recorded_ops.attention_gradients = (
    _attention_gradients,
    _recorded_attention_gradients,
)


# ------------------------------------------------------------------------------------------------- composed
def widened_operand(operand: Tensor) -> Tensor:
    """Return the operand in float32, or unchanged if it is float64."""
    return operand if layout_of_tensor(operand).dtype in (float32, float64) else recorded_ops.to(operand, (float32,))


def probabilities_of(query: Tensor, key: Tensor, mask: Tensor | None, parameters: Parameters) -> Tensor:
    """Return all probabilities (..., length, keys), before dropout; fully masked rows are 0.

    Operands and parameters are those of `attention`.
    """
    F, (is_causal, scale, *_) = recorded_ops, parameters
    scores = F.matmul(F.mul(query, scale), F.mT(key))
    layout = layout_of_tensor(scores)
    length, keys = layout.shape[-2:]
    if is_causal:
        reached = F.le(arange(keys, device=layout.device), F.unsqueeze(arange(length, device=layout.device), 1))
        scores = F.where(reached, scores, -inf)
    if mask is not None:
        if layout_of_tensor(mask).dtype.category == BOOL:
            scores = F.where(mask, scores, -inf)
        else:
            scores = F.add(scores, F.to(mask, (layout.dtype,)))
    if not layout.numel:
        return scores
    last = len(layout.shape) - 1
    masked = F.eq(F.amax(scores.detach(), ((last,), True)), -inf)
    return F.where(masked, 0.0, F.softmax(F.where(masked, 0.0, scores), (last,)))


def dropout_pattern(probabilities: Tensor, parameters: Parameters) -> Tensor | None:
    """Return the dropout factors of probabilities, equal to those of the kernel; None without dropout."""
    share, seed, offset = parameters[2:]
    return recorded_ops.dropout(recorded_ops.ones_like(probabilities), (share, seed, offset)) if share else None


def composed_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, parameters: Parameters
) -> Tensor:
    """Compute attention from a full score matrix, for masks that require gradients; arguments as in `attention`."""
    probabilities = probabilities_of(widened_operand(query), widened_operand(key), mask, parameters)
    pattern = dropout_pattern(probabilities, parameters)
    if pattern is not None:
        probabilities = recorded_ops.mul(probabilities, pattern)
    return recorded_ops.to(recorded_ops.matmul(probabilities, widened_operand(value)), (layout_of_tensor(query).dtype,))


# --------------------------------------------------------------------------------------------------- public
def check_attention(query: Layout, key: Layout, value: Layout, mask: Layout | None, is_causal: bool) -> None:
    """Raise an error unless dtypes are equal and shapes fit; `broadcast` checks the leading dimensions.

    `is_causal` excludes a mask.
    """
    name, given = "scaled_dot_product_attention", (query, key, value)
    if query.dtype.category != FLOATING or key.dtype is not query.dtype or value.dtype is not query.dtype:
        raise DTypeError(
            f"{name}: expected query, key and value in one floating dtype; got {query.dtype.name}, "
            f"{key.dtype.name} and {value.dtype.name}; convert with .to()"
        )
    for what, layout in zip(OPERANDS, given, strict=False):
        if len(layout.shape) < 2:
            raise ArgumentError(f"{name}: expected {what} of at least 2 dimensions; got shape {layout.shape}")
    if key.shape[-1] != query.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ArgumentError(
            f"{name}: expected query (..., length, width), key (..., keys, width) and value (..., keys, value width); "
            f"got {query.shape}, {key.shape} and {value.shape}"
        )
    if mask is None:
        return
    if is_causal:
        raise ArgumentError(f"{name}: expected attn_mask or is_causal=True, not both; got a mask {mask.shape}")
    if mask.dtype.category != BOOL and mask.dtype not in (query.dtype, float32):
        raise DTypeError(
            f"{name}: expected attn_mask of bool or {query.dtype.name}; got {mask.dtype.name}; convert with .to()"
        )


def in_groups(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Operands:
    """Add a group dimension to the operands: the query heads that share one head of the key and the value."""
    shapes = [tensor.shape for tensor in (query, key, value)]
    if min(map(len, shapes)) < 3:
        raise ArgumentError(
            f"scaled_dot_product_attention: expected (..., heads, length, width) for enable_gqa; got {shapes[0]}"
        )
    F, (heads, key_heads, value_heads) = recorded_ops, [shape[-3] for shape in shapes]
    shared = max(key_heads, value_heads)
    if (
        not key_heads
        or not value_heads
        or heads % key_heads
        or heads % value_heads
        or shared % min(key_heads, value_heads)
    ):
        raise ArgumentError(
            f"scaled_dot_product_attention: expected query's heads to be a multiple of key's and value's for "
            f"enable_gqa; got {heads}, {key_heads} and {value_heads}"
        )
    group_size = heads // shared

    def repeated(operand: Tensor, own: int) -> Tensor:
        if own != shared:  # key and value differ
            shape = operand.shape
            spread = F.expand(F.unsqueeze(operand, -3), (*shape[:-2], shared // own, *shape[-2:]))
            operand = F.reshape(spread, (*shape[:-3], shared, *shape[-2:]))
        return F.unsqueeze(operand, -3)

    if mask is not None and len(mask.shape) > 2:
        rest = (shared, group_size) if mask.shape[-3] == heads else (mask.shape[-3], 1)
        mask = F.reshape(mask, (*mask.shape[:-3], *rest, *mask.shape[-2:]))
    query = F.reshape(query, (*shapes[0][:-3], shared, group_size, *shapes[0][-2:]))
    return query, repeated(key, key_heads), repeated(value, value_heads), mask


def broadcast(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Operands:
    """Expand the operands to equal leading dimensions: views in which repeated dimensions have stride 0."""
    operands = [operand for operand in (query, key, value, mask) if operand is not None]
    batch = broadcast_shapes("scaled_dot_product_attention", *[tuple(operand.shape[:-2]) for operand in operands])
    scores = (query.shape[-2], key.shape[-2])
    if mask is not None:
        if len(mask.shape) > len(batch) + 2 or any(
            [n not in (1, wanted) for n, wanted in zip(mask.shape[::-1], (*batch, *scores)[::-1], strict=False)]
        ):
            raise ArgumentError(
                f"scaled_dot_product_attention: expected attn_mask that broadcasts to {(*batch, *scores)}; "
                f"got {tuple(mask.shape)}"
            )
        if tuple(mask.shape) != (*batch, *scores):
            mask = recorded_ops.expand(mask, (*batch, *scores))
    query, key, value = [
        operand if tuple(operand.shape[:-2]) == batch else recorded_ops.expand(operand, (*batch, *operand.shape[-2:]))
        for operand in (query, key, value)
    ]
    return query, key, value, mask


@function(overridable=True, refuses={"not 0 <= dropout_p <= 1": "a share dropout_p from 0 to 1; got {dropout_p}"})
def scaled_dot_product_attention(
    F: Namespace,
    query: Checked,
    key: Checked,
    value: Checked,
    attn_mask: Tensor | None = None,
    dropout_p: Float = 0.0,
    is_causal: Truth = False,
    scale: float | None = None,
    enable_gqa: Flag = False,
) -> Tensor:
    """Compute softmax(scale · query @ key.T + attn_mask) @ value, with memory linear in the lengths.

    Leading dimensions broadcast; query, key and value have the same floating dtype. A mask that requires a gradient
    needs memory for all scores. A fully masked row gives 0.

    Arguments:
        query: (..., length, width).
        key: (..., keys, width).
        value: (..., keys, value width).
        attn_mask: broadcasts to (..., length, keys); bool, True for allowed positions, or numbers added to the scores.
        dropout_p: the probability of dropout, by the default generator; applies even outside of training.
        is_causal: whether query i attends only to keys up to i; excludes `attn_mask`.
        scale: the factor of the scores; 1 / sqrt(width) if None.
        enable_gqa: whether several query heads (dimension -3) share one head of key and value.

    Returns:
        (..., length, value width).

    Raises:
        ValueError: if shapes do not fit.

    >>> from facula_tensor import ones, tensor
    >>> scaled_dot_product_attention(ones(1, 2), ones(3, 2), tensor([[1.0], [2.0], [6.0]]))
    tensor([[3.]])
    """
    layouts = [layout_of_tensor(operand) for operand in (query, key, value)]
    mask = None if attn_mask is None else layout_of_tensor(as_tensor("scaled_dot_product_attention", attn_mask))
    check_attention(layouts[0], layouts[1], layouts[2], mask, is_causal)
    width = layouts[0].shape[-1]
    if scale is None:
        scale = 1 / sqrt(width) if width else 1.0
    else:
        scale = float(as_real(scale, "scaled_dot_product_attention", "scale"))
    shape = layouts[0].shape
    in_heads = enable_gqa and (layouts[1].shape[:-2] != shape[:-2] or layouts[2].shape[:-2] != shape[:-2])
    if in_heads:
        query, key, value, attn_mask = in_groups(query, key, value, attn_mask)
    query, key, value, attn_mask = broadcast(query, key, value, attn_mask)
    count = prod(query.shape[:-1]) * key.shape[-2]
    place = default_generators[layouts[0].device].advance(count) if dropout_p else (0, 0)
    if dropout_p and open_batches:
        query = for_each_draw(query)
    parameters = (is_causal, scale, dropout_p, *place)
    if attn_mask is not None and is_variable(attn_mask) and is_grad_enabled():
        result = composed_attention(query, key, value, attn_mask, parameters)
    else:
        if attn_mask is not None and mask is not None and mask.dtype is float32 and layouts[0].dtype is float64:
            attn_mask = F.to(attn_mask, (float64,))
        result = F.attention(query, key, value, attn_mask, parameters)[0]
    if in_heads:
        result = F.reshape(result, (*result.shape[:-4], shape[-3], *result.shape[-2:]))
    return result
