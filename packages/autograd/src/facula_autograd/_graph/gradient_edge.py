"""`GradientEdge`: an edge of the graph that gradients pass, without its value."""

from __future__ import annotations

from collections import namedtuple

from facula_errors import InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary

from .._adapters import Adapter, adapter_of, register_adapter
from .._errors import GradientError
from .node import LEAF, AccumulateGrad, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from .._types import AnyAdapter, AnyValue, Leaf


class GradientEdge(namedtuple("GradientEdge", "node output_nr ownership_token", defaults=(0, None))):
    """A replacement for a value as an input or output of `backward` and `grad`.

    The value itself may no longer exist. `node` is the destination of its gradient, an `AccumulateGrad` for a leaf.
    Each output of an operator has a separate node here, so `output_nr` is always 0.
    """

    node: Node | AccumulateGrad
    output_nr: int
    ownership_token: object
    #: The adapter and the metadata of the value, if known.
    if TYPE_CHECKING:
        kind: tuple[AnyAdapter, Hashable] | None = None
    else:
        kind = None


@boundary
def get_gradient_edge(tensor: AnyValue) -> GradientEdge:
    """Return the edge that gradients of `tensor` pass. The edge does not keep the tensor alive, unless it is a leaf.

    Raises:
        GradientError: the tensor does not require grad.

    >>> from facula_autograd import Variable, grad
    >>> x = Variable(3.0, requires_grad=True)
    >>> y = x * x
    >>> z = y * y
    >>> grad(z, get_gradient_edge(y))
    (Variable(18.0),)
    """
    if not hasattr(tensor, "node"):
        raise InvalidTypeError(f"get_gradient_edge: expected a differentiable value; got {type(tensor).__name__}")
    adapter, node = adapter_of(tensor), tensor.node
    if node is None:
        raise GradientError(
            f"get_gradient_edge: expected a value that requires grad; got {adapter.describe(tensor)}, which does not"
        )
    edge = GradientEdge(AccumulateGrad(tensor) if node is LEAF else node)
    edge.kind = (adapter, adapter.metadata(tensor))
    return edge


def leaf_or_edge(value: AnyValue) -> AnyValue:
    """Return the leaf if `value` is the edge of a leaf, otherwise `value`."""
    if type(value) is not GradientEdge:
        return value
    if type(value.node) is AccumulateGrad:
        return value.node.variable
    if type(value.node) is not Node:
        raise InvalidTypeError(f"GradientEdge: expected a Node as its node; got {type(value.node).__name__}")
    return value


def resolve_edges(values: Sequence[object]) -> Sequence[object]:
    """Return `values`, with leaf edges replaced by the leaves."""
    return [leaf_or_edge(v) for v in values] if any(type(v) is GradientEdge for v in values) else values


class _EdgeAdapter(Adapter):
    """The adapter of edges where a pass starts or ends."""

    def _like(self, v: GradientEdge) -> Leaf:
        if v.kind is None:
            raise UnsupportedError(
                f"GradientEdge: expected a gradient for {self.describe(v)}; an edge that was not made by "
                "get_gradient_edge does not know its shape"
            )
        adapter, metadata = v.kind
        return adapter.zeros(metadata)  # type: ignore[return-value]

    def is_scalar(self, v: GradientEdge) -> bool:
        like = self._like(v)
        return adapter_of(like).is_scalar(like)

    def ones_like(self, v: GradientEdge) -> object:
        like = self._like(v)
        return adapter_of(like).ones_like(like)

    def zeros_like(self, v: GradientEdge) -> object:
        return self._like(v)

    def describe(self, v: GradientEdge) -> str:
        return f"the gradient edge of {v.node.name()}"


register_adapter(GradientEdge, _EdgeAdapter())
