"""Rules of products of matrices, normalization, embedding, attention and losses; see Note [Letters] in dispatch.py."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import UnsupportedError
from facula_tensor import Tensor, broadcast_shapes, no_grad

from .dispatch import Call, Letters, Signature
from .rules import broadcast, rule, widened
from .steps import Reduce

if TYPE_CHECKING:
    from collections.abc import Sequence


def _by_text(*operands: str, result: str, added: Sequence[int] = ()) -> Signature:
    """Return the signature of a product of operands, with a letter of text for each dimension."""
    reduced = {letter: "sum" for text in operands for letter in text if letter not in result}
    return Signature([tuple(one) for one in operands], [tuple(result)], reduced, "each", added)


@rule("linear")
def _linear(call: Call) -> Signature:
    ahead = tuple(range(len(call.shape()) - 1))
    weight: Letters = ("o", "k")[2 - len(call.shape(1)) :]
    operands = [(*ahead, "k"), weight, ("o",)[: call.results[0].ndim - len(ahead)]][: len(call.operands)]
    result = (*ahead, "o") if len(weight) == 2 else ahead
    return Signature(operands, [result], {"k": "sum"}, "each", added=(2,) if len(operands) == 3 else ())


@rule("matmul mm bmm mv dot inner vdot")
def _matmul(call: Call) -> Signature:
    left, right = call.shape(0), call.shape(1)
    shape = tuple(call.results[0].shape)
    rows = ("i",) if len(left) > 1 else ()
    columns = ("j",) if len(right) > 1 else ()
    batch = shape[: len(shape) - len(rows) - len(columns)]
    operands = [
        (*broadcast(left[: -1 - len(rows)], batch), *rows, "k"),
        (*broadcast(right[: -1 - len(columns)], batch), "k", *columns),
    ]
    if call.name == "inner" and len(right) > 1:
        raise UnsupportedError("inner: expected vectors for DTensors; use matmul")
    return Signature(operands, [(*range(len(batch)), *rows, *columns)], {"k": "sum"}, "each")


def _added(call: Call, *operands: str, result: str) -> Signature:
    """Return the signature of a product that is added to the first operand."""
    signature = _by_text(*operands, result=result, added=(0,))
    letters = broadcast(call.shape(), tuple(call.results[0].shape))
    own = tuple([None if at is None else result[at] for at in letters])  # type: ignore[index]
    return signature._replace(operands=[own, *signature.operands], linear="")


rule("addmm")(lambda call: _added(call, "ik", "kj", result="ij"))
rule("addmv")(lambda call: _added(call, "ik", "k", result="i"))
rule("baddbmm")(lambda call: _added(call, "bik", "bkj", result="bij"))
rule("outer ger")(lambda call: _by_text("i", "j", result="ij"))


@rule("einsum")
def _einsum(call: Call) -> Signature:
    equation = call.args[0]
    if not isinstance(equation, str) or "..." in equation:
        raise UnsupportedError("einsum: expected an equation without ... for DTensors; name all dimensions")
    text = equation.replace(" ", "")
    inputs, arrow, result = text.partition("->")
    if not arrow:
        result = "".join(sorted(one for one in set(inputs) - {","} if inputs.count(one) == 1))
    operands = inputs.split(",")
    if any(len(set(one)) < len(one) for one in operands):
        raise UnsupportedError(f"einsum: expected each letter once in an operand of DTensors; got {equation!r}")
    return _by_text(*operands, result=result)


@rule("layer_norm rms_norm")
def _layer_norm(call: Call) -> Signature:
    shape = call.argument(1, "normalized_shape")
    width = 1 if isinstance(shape, int) else len(shape)
    ndim = len(call.shape())
    named = tuple([at if at < ndim - width else None for at in range(ndim)])
    return Signature([named, *[(None,) * width] * (len(call.operands) - 1)], [named])


@rule("embedding")
def _embedding(call: Call) -> Signature:
    if call.argument(3, "max_norm") is not None:
        raise UnsupportedError("embedding: expected max_norm=None for DTensors; normalize the weight before")
    ids = tuple(range(len(call.shape())))
    return Signature([ids, (None, "e")], [(*ids, "e")])


@rule("scaled_dot_product_attention")
def _attention(call: Call) -> Signature:
    if call.argument(4, "dropout_p", 0.0):
        raise UnsupportedError("scaled_dot_product_attention: expected dropout_p=0 for DTensors; use dropout after it")
    batch = tuple(call.results[0].shape)[:-2]
    heads = len(batch) - 1 if call.kwargs.get("enable_gqa") else None  # heads in groups must be whole
    operands = []
    for layout in call.layouts:
        named = broadcast(layout.shape[:-2], batch)
        operands.append((*[None if at == heads else at for at in named], None, None))
    return Signature(operands, [(*[None if at == heads else at for at in range(len(batch))], None, None)])


def _classes(call: Call) -> list[Letters]:
    """Return the letters of the operands of a loss of classes: scores, targets, and weights."""
    shape, target = call.shape(0), call.shape(1)
    if len(shape) == 1:
        return [(None,)] + [(None,) * len(one.shape) for one in call.layouts[1:]]
    scores = (0, None, *range(2, len(shape)))
    targets = scores if target == shape else (0, *range(2, len(shape)))
    return [scores, targets, *[(None,)] * (len(call.operands) - 2)]


@rule("cross_entropy nll_loss")
def _class_loss(call: Call) -> Signature:
    def weights(call: Call, operands: Sequence[Any]) -> Any:
        target = operands[1]
        if target.is_floating_point():
            return float(prod(target.shape) // max(target.shape[1 if target.ndim > 1 else 0], 1))
        used = target != call.argument(4, "ignore_index", -100)
        if len(operands) < 3:
            return used.sum().to(operands[0].dtype)
        return (operands[2].detach()[target * used] * used).sum()

    return _loss(call, _classes(call), weights)


@rule(
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits soft_margin_loss"
)
def _element_loss(call: Call) -> Signature:
    shape = broadcast_shapes(*[layout.shape for layout in call.layouts])
    operands = [broadcast(layout.shape, shape) for layout in call.layouts]
    if call.name in ("mse_loss", "l1_loss") and len(operands) == 3:
        raise UnsupportedError(
            f"{call.name}: expected no weight for DTensors; multiply the results of reduction='none'"
        )
    return _loss(call, operands, lambda call, operands: float(prod(broadcast_shapes(*[one.shape for one in operands]))))


def _loss(call: Call, operands: list[Letters], weights: Any) -> Signature:
    """Return the signature of a loss; NotImplementedError if its options are not given by their names.

    Arguments:
        call: the call.
        operands: the letters of the operands.
        weights: returns what a mean divides the sum of local terms by.
    """
    reduction = call.kwargs.get("reduction", "mean")
    if any(not isinstance(one, Tensor) and one is not None for one in call.args):
        raise UnsupportedError(f"{call.name}: expected options of a loss of DTensors by name; write reduction=...")
    if call.kwargs.get("reduce") is not None or call.kwargs.get("size_average") is not None:
        raise UnsupportedError(f"{call.name}: expected reduction= for DTensors; leave out reduce and size_average")
    letters = sorted({letter for one in operands for letter in one if isinstance(letter, int)})
    if reduction == "none":
        return Signature(operands, [tuple(letters)])
    reduced = dict.fromkeys(letters, "sum")
    if reduction != "mean":
        return Signature(operands, [()], reduced)

    def run(call: Call, operands: Sequence[Any], choices: Any) -> Any:
        dims = [dim for dim, choice in enumerate(choices) if choice.results[0].is_partial()]
        if not dims:
            return call.call(operands)
        operands = [widened(one) for one in operands]
        call.kwargs = {**call.kwargs, "reduction": "sum"}
        with no_grad():
            total = operands[0].new_zeros(()) + weights(call, operands)
            for dim in dims:
                if call.mesh.shape[dim] > 1:
                    total = Reduce(call.mesh._groups[dim]).run(total)
        return (call.call(operands) / total).to(call.results[0].dtype)

    return Signature(operands, [()], reduced, run=run)
