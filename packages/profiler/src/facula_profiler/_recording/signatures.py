"""Names and signatures of plans."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from facula_storage import Layout
from facula_storage.extend.plans import Program, flops

from .._trace.records import Signature

if TYPE_CHECKING:
    from typing import TypeAlias

    from facula_storage import Plan

    Request: TypeAlias = tuple[str | Program, tuple[Any, ...], tuple[object, ...]]


#: Nodes whose last launch is of another operator. Views have no launch.
OTHER_LAUNCHES = {
    "clamp_max": "minimum", "clamp_min": "maximum", "clone": "copy", "logsumexp": "add", "median_all": "median_dim",
    "scatter": "scatter_copy", "stack": "cat", "to": "copy", "turned_sign": "copy",
}  # fmt: skip


@cache
def _schemas() -> tuple[frozenset[str], dict[str, str]]:
    """Return the operators with PyTorch's names, and PyTorch's names of the others, from `aten.txt`."""
    words = files(__package__).joinpath("aten.txt").read_text(encoding="utf-8").split()
    others = dict(word.split("=") for word in words if "=" in word)
    return frozenset([*words, *others.values()]), others


@cache
def public_name(operator: str, in_place: bool = False) -> str:
    """Return the name of a launch in reports: PyTorch's, such as `aten::add_`, if PyTorch has the operator."""
    names, others = _schemas()
    if in_place and f"{operator}_" in names:
        operator += "_"
    operator = others.get(operator, operator)
    return f"aten::{operator}" if operator in names else f"facula::{operator}"


@lru_cache(maxsize=4096)
def node_name(operator: str) -> str:
    """Return PyTorch's name for the node of an operator.

    >>> node_name("log_softmax"), node_name("AccumulateGrad"), node_name("my_functionBackward")
    ('LogSoftmaxBackward0', 'AccumulateGrad', 'my_functionBackward')
    """
    if not operator or operator[0].isupper() or operator.endswith("Backward"):  # a leaf, or the class of a Function
        return operator
    return "".join([part[:1].upper() + part[1:] for part in operator.split("_")]) + "Backward0"


def signature_of(plan: Plan | Signature) -> Signature:
    """Return the operator, operands and costs of a plan's launches; a signature as it is.

    A plan of any size without outputs serves any shape. Others without outputs write to operands, as optimizers do.
    """
    if isinstance(plan, Signature):
        return plan
    operator, inputs, parameters = _request(plan) or (plan.operator, (), plan.parameters)
    is_program = isinstance(operator, Program)
    arrays = [one for one in inputs if isinstance(one, Layout)]
    dtypes = tuple([_dtype(one) for one in inputs])
    texts = tuple([f"{one!s:.80}" for one in parameters])
    each = len(operator.instructions) if is_program else 1  # type: ignore[union-attr]
    if not plan.outputs and (plan.any_size or not arrays):
        each *= flops(plan.operator, (), ((),))
        return Signature(plan.operator, None, dtypes, texts, each, sum([one.dtype.itemsize for one in arrays]))
    shapes = tuple([one.shape if isinstance(one, Layout) else () for one in inputs])
    outputs = [one.shape for one in plan.outputs]
    count = flops(plan.operator, shapes, outputs, plan.parameters)
    nbytes = sum([one.nbytes for one in (*arrays, *plan.outputs)])
    return Signature(plan.operator, shapes, dtypes, texts, each * count, nbytes)


def _request(plan: Plan) -> Request | None:
    """Return the request of a plan, or of the plan inside, whose launch allocates no workspace."""
    return plan.request or (plan.inner.request if plan.inner is not None else None)


def _dtype(operand: Any) -> str:
    if isinstance(operand, Layout):
        return operand.dtype.name
    return "" if operand is None else "Scalar"


def output_place(plan: Plan) -> int:
    """Return the place of the first output's address among the arguments of a launch, 0 if unknown.

    Arguments are the number of elements, the addresses of inputs and outputs, and numbers.
    """
    request = _request(plan)
    if request is None or (plan.elementwise is None and plan.outputs):
        return 0
    return 1 + sum([not isinstance(one, type) for one in request[1]])
