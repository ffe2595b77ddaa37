"""The level of one forward mode: pairs of a primal and its tangent.

Note [Tangents]
~~~~~~~~~~~~~~~
The tangent of a result is, in this order:
* for an operator linear in its operands (`linear`, and all views), itself applied to the tangents; for a `bilinear` one
  a sum of such terms;
* what the declaration's `jvp` says;
* for an elementwise operator its vjp rules with the tangents in place of the gradient, added up: the Jacobian is
  diagonal, so it is its own transpose (complex numbers: where the operator is holomorphic, and without conjugating);
* else the vjp rule done twice. It is linear in its gradient g: h = vjp(g) is taken of a g on a tape of its own, and the
  gradient of h by g, with the tangent as h's gradient, is the tangent of the result.
A value and its tangent see the same draw, mask or index, since rules are given what the call gave.

A tangent has the strides of its primal, and memory that nobody else holds, from the moment that somebody takes a view
or changes the tensor in place (`DualLayout.own`); so views of the two go together.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from facula_autograd import is_grad_enabled
from facula_autograd.extend import Node, Rule, active_modes, current_mode, edge_to, next_seq, replace_mode
from facula_errors import ArgumentError, DTypeError
from facula_storage import Layout, contiguous
from facula_storage.extend import COMPLEX

from .._core.call_sites import user_site
from .._core.errors import show
from .._core.memory import overlaps_itself
from .._core.tensor import Tensor, layout_of_tensor, snapshot
from .._core.view_family import register, root_of, views_of
from .._core.wrapped import Level, LevelLayout, batched_as, batches_of, no_storage
from .._creation.filled import zeros
from .._dispatch.expressions.gradients import asked_by
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .._dispatch.slow_path.inplace_checks import check_family, starts_inplace
from .._dispatch.slow_path.nodes import node_for
from .._dispatch.slow_path.view_changes import region
from .custom import apply_at_dual
from .grad import GradLevel, differentiable
from .levels import (
    call_contents,
    copy_contents,
    family_contents,
    is_at,
    record_copy,
    record_view,
    wrap_content,
)
from .rules import OperatorCall, apply_rules, gradients, operand_layouts, rule_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.types import Operands, Parameters, Result
    from .._dispatch.namespaces import Namespace
    from .._dispatch.operator import Operator


PAIRED = Rule("make_dual", lambda F, node, g: ((node.e0, g),), False, False)


class DualLayout(LevelLayout):
    """The layout slot of a pair of a primal and its tangent; None is no tangent, a constant.

    `owned`: the tangent lies as the primal does, in memory that no other tensor shares but its views.
    """

    __slots__ = ("owned", "primal", "tangent")

    def __init__(self, level: DualLevel, primal: Tensor, tangent: Tensor | None, owned: bool):
        self.level, self.primal, self.tangent, self.owned = level, primal, tangent, owned
        self.real = layout_of_tensor(primal)

    def constant(self) -> Tensor:
        """The primal alone, detached."""
        primal = snapshot(self.primal)
        return self.level.make(primal, None, True) if self.level.open else primal

    def readable(self, operation: str) -> Tensor:
        """The primal."""
        return self.primal

    def own(self) -> Tensor:
        """The tangent, after seeing to it that it is owned; zeros where there was none."""
        if self.tangent is None:
            self.tangent, self.owned = zeros_for(self.primal), True
        elif not self.owned:
            self.tangent, self.owned = restrided(self.tangent, self.real), True
        return self.tangent


def zeros_for(primal: Tensor) -> Tensor:
    """Zeros that lie as `primal` does."""
    return restrided(no_record_ops.zeros_like(primal), layout_of_tensor(primal))


def widened(tangent: Tensor, like: Tensor) -> Tensor:
    """A tangent that is batched where another one is that goes into it: itself where it is so already."""
    if batches_of(like) <= batches_of(tangent):
        return tangent
    layout = layout_of_tensor(tangent)
    none = zeros(layout.shape, dtype=layout.dtype, device=layout.device)
    return restrided(recorded_ops.add(tangent, batched_as(none, like)), layout)


def restrided(tangent: Tensor, layout: Layout) -> Tensor:
    """A copy of a tangent with these strides; contiguous where elements would share places."""
    if layout.is_contiguous or overlaps_itself(layout):
        return recorded_ops.clone(recorded_ops.contiguous(tangent))
    return recorded_ops.as_strided(recorded_ops.spread_out(tangent, layout), layout.shape, layout.strides, 0)


class DualLevel(Level):
    """One forward mode.

    `taped`: whether pairs have a node as well where a primal wants a gradient, as PyTorch's dual tensors have: a
    backward pass from them gives gradients that are pairs. (Their primals have nodes of their own in any case.)
    """

    __slots__ = ("taped",)

    def __init__(self, taped: bool = False) -> None:
        super().__init__()
        self.taped = taped

    def make(self, primal: Tensor, tangent: Tensor | None, owned: bool = False) -> Tensor:
        """A pair, as one tensor."""
        return wrap_content(DualLayout(self, primal, tangent, owned), primal)

    def value(self, operand: Any) -> Any:
        """The primal of a pair of this level; others as they are."""
        return operand._layout.primal if is_at(self, operand) else operand

    def tangent(self, operand: Any) -> Tensor | None:
        """The tangent of a pair of this level; None of others."""
        return operand._layout.tangent if is_at(self, operand) else None

    def carries(self) -> bool:
        """Whether results have tangents: not after the level has ended, nor in inference mode."""
        return self.open and not (active_modes and current_mode().inference)

    def call(self, op: Operator, operands: Operands, parameters: Parameters, record: bool) -> Result:
        """The operator on the primals, and the tangent of its first result."""
        primals = tuple([self.value(a) for a in operands])
        tangents = [self.tangent(a) for a in operands]
        answer = call_contents(op, primals, parameters, record)
        results = list(answer) if type(answer) is tuple else [answer]
        known = op.jvp or op.linear or op.bilinear or op.recorded
        if not (self.carries() and known and differentiable(results[0]) and any([t is not None for t in tangents])):
            return answer
        tangent = tangent_of(OperatorCall(op, primals, results, parameters), tangents, record)
        if any([is_at(self, a) and a._layout.owned and t is not None and t._storage is tangent._storage
                for a, t in zip(operands, tangents, strict=True)]):  # fmt: skip
            tangent = recorded_ops.clone(tangent)  # a rule that passes it on; the operand's changes in place
        results[0] = self.make(results[0], tangent)
        if self.taped and record and any([isinstance(a, Tensor) and a.node is not None for a in operands]):
            node_for(op, operands, operand_layouts(operands), parameters, results)
        return results[0] if len(results) == 1 else tuple(results)

    def view(self, call: Callable[..., Any], rules: Any, input: Tensor, parameters: tuple[object, ...]) -> Any:
        """Views of the primal, with those of its tangent."""
        found = call(self.value(input), *parameters)
        layout: Any = input._layout
        if found is None or not self.carries() or layout.tangent is None:
            return found
        tangents = call(layout.own(), *parameters)
        if type(found) is not tuple:
            views = [self.make(found, tangents, True)]
        else:
            views = [self.make(one, tangent, True) for one, tangent in zip(found, tangents, strict=True)]
        for one in views:
            one._viewed = input
            register(one, input)
        if self.taped and rules is not None and input.node is not None:
            for one, (rule, kept) in zip(views, rules, strict=True):
                record_view(one, input, rule, kept)
        return tuple(views) if type(found) is tuple else views[0]

    def copy(self, operation: str, target: Tensor, source: Tensor) -> Tensor:
        """Copy a primal into a primal, and a tangent into a tangent."""
        tangent = self.tangent(source)
        record = self.taped and self.open and is_grad_enabled() and (target.node is not None or source.node is not None)
        if self.open and not is_at(self, target) and (tangent is not None or record):
            starts_inplace(operation, target, (target,))
            self.adopt(target, tangent)
        if record:
            check_family(operation, target)
        copy_contents(operation, self.value(target), self.value(source))
        if self.open and is_at(self, target):
            if tangent is not None:
                self.widen(target, tangent)
            layout: Any = target._layout
            copy_contents(operation, layout.own(), 0 if tangent is None else tangent)  # type: ignore[arg-type]
        if record:
            record_copy(target, source, edge_to(source))
        return target

    def apply_function(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A Function of the user's, whose `jvp` gives the tangents."""
        return apply_at_dual(self, function, args, kwargs, fitted)

    def adopt(self, target: Tensor, changed: Tensor | None) -> None:
        """Let `target`, which is not of this level, and all of its family of views be pairs with tangents of zeros.

        Arguments:
            target: the tensor.
            changed: the tangent that goes into one of them, which says at which levels they are batched.
        """
        base: Any = None
        for one, content in family_contents(target):
            if base is None:
                base, tangent = content, zeros_for(content)
                if changed is not None:
                    tangent = widened(tangent, changed)
                whole = tangent
            else:
                tangent = recorded_ops.as_strided(whole, *region(content, base))
            one._layout, one._storage = DualLayout(self, content, tangent, True), no_storage(content._storage)  # type: ignore[assignment]
            one.node = self.node_of(content)

    def node_of(self, primal: Tensor) -> Node | None:
        """The node of a pair that stands for `primal`: its gradient, a pair, goes on to that."""
        if not self.taped or primal.node is None:
            return None
        node = Node()
        node.rule, node.seq, node.e0 = PAIRED, next_seq(), edge_to(primal)
        node.code, node.lasti = user_site()
        return node

    def widen(self, target: Tensor, changed: Tensor) -> None:
        """Let the tangents of `target` and its family be batched where one is that goes into them."""
        root = root_of(target)
        base: Any = root if is_at(self, root) else target
        layout = base._layout
        whole = widened(layout.own(), changed)
        if whole is not layout.tangent:
            for one in (base, target, *views_of(base)):
                if is_at(self, one):
                    tangent = recorded_ops.as_strided(whole, *region(self.value(one), layout.primal))
                    one._layout.tangent, one._layout.owned = tangent, True  # type: ignore[attr-defined]


def tangent_of(call: OperatorCall, tangents: list[Tensor | None], record: bool) -> Tensor:
    """The tangent of the first result of a call: see Note [Tangents].

    Arguments:
        call: the call, with the primals.
        tangents: those of its operands, None where there is none; one there is.
        record: whether levels around this one, or the tape, record.
    """
    op = call.op
    F = recorded_ops if record else no_record_ops
    if op.bilinear:
        tangent = bilinear_tangent(call, tangents, F, record)
    elif op.linear:
        tangent = linear_tangent(call, tangents, record)
    elif op.jvp is not None:
        values = rule_values(call, [t is not None for t in tangents], call.layouts)
        tangent = op.jvp(F, tangents, *[values[name] for name in asked_by(op.jvp)])
    elif op.elementwise and (op.holomorphic or not any_complex(call)):
        tangent = diagonal_tangent(call, tangents, F)
    else:
        tangent = transposed_twice(call, tangents, record)
    layout = layout_of_tensor(call.results[0])
    return tangent if layout_of_tensor(tangent).dtype is layout.dtype else F.to(tangent, (layout.dtype,))


def any_complex(call: OperatorCall) -> bool:
    """Whether an operand or the result is complex."""
    layouts = (*call.layouts, layout_of_tensor(call.results[0]))
    return any([isinstance(one, Layout) and one.dtype.category == COMPLEX for one in layouts]) or complex in layouts


def linear_tangent(call: OperatorCall, tangents: list[Tensor | None], record: bool) -> Tensor:
    """The operator applied to the tangents, zeros where there is none."""
    op = call.op
    operands = [
        a if t is None and not (op.arity < 0 or op.inputs[place] in op.linear) else t
        for place, (a, t) in enumerate(zip(call.operands, tangents, strict=True))
    ]
    operands = [
        no_record_ops.zeros_like(a) if one is None and isinstance(a, Tensor) else one
        for a, one in zip(call.operands, operands, strict=True)
    ]
    if "stride" in op.parameters:  # which count places in memory
        operands = [
            one if layout_of_tensor(one).strides == layout_of_tensor(a).strides else restrided(one, layout_of_tensor(a))
            for a, one in zip(call.operands, operands, strict=True)
            if one is not None
        ]
    return first_of(call_contents(op, tuple(operands), call.parameters, record))


def bilinear_tangent(call: OperatorCall, tangents: list[Tensor | None], F: Namespace, record: bool) -> Tensor:
    """One term for each tangent: the operator with it in the place of its operand. Those of what is added go along."""
    op = call.op
    added: list[Any] = [t if name in op.linear else None for t, name in zip(tangents, op.inputs, strict=True)]
    places = [at for at, t in enumerate(tangents) if t is not None and op.inputs[at] in op.bilinear]
    total = None
    for place in places or [0]:
        t = tangents[place] if places else no_record_ops.zeros_like(call.operands[place])
        operands = [
            t if at == place else a if name in op.bilinear else added[at]
            for at, (a, name) in enumerate(zip(call.operands, op.inputs, strict=True))
        ]
        term = first_of(call_contents(op, tuple(operands), call.parameters, record))
        total = term if total is None else F.add(total, term)
        added = [None] * len(added)
    assert total is not None
    return total


def diagonal_tangent(call: OperatorCall, tangents: list[Tensor | None], F: Namespace) -> Tensor:
    """The vjp rules of an elementwise operator, with tangents for the gradient."""
    shape, device = call.results[0].shape, call.results[0].device
    # Rules that sum to their operand's shape are shown the result's: nothing is summed.
    layouts = tuple([contiguous(shape, one.dtype, device) if isinstance(one, Layout) else one for one in call.layouts])
    total = None
    for place, t in enumerate(tangents):
        if t is not None:
            wanted = [at == place for at in range(len(tangents))]
            term = apply_rules(call, F, t if t.shape == shape else F.expand(t, shape), wanted, layouts)[place]
            if term is not None:
                total = term if total is None else F.add(total, term)
    return no_record_ops.zeros_like(call.results[0]) if total is None else total


def transposed_twice(call: OperatorCall, tangents: list[Tensor | None], record: bool) -> Tensor:
    """The vjp rules done twice: the gradient, by g, of what they make of a gradient g."""
    level = GradLevel()
    level.records = record
    g = level.leaf(no_record_ops.zeros_like(call.results[0]))
    with replace_mode(grad=True) if active_modes and not current_mode().grad else nullcontext():
        found = gradients(call, recorded_ops, g, [t is not None for t in tangents])
        pairs = [(h, t) for h, t in zip(found, tangents, strict=True) if h is not None and is_at(level, h)]
        (tangent,) = level.pull([h for h, _ in pairs], [t for _, t in pairs], (g,), record=record)
    level.open = False
    return no_record_ops.zeros_like(call.results[0]) if tangent is None else tangent


def first_of(answer: Result) -> Tensor:
    """The first of several results."""
    return answer[0] if type(answer) is tuple else answer


def fitted(operation: str, primal: Tensor, tangent: Tensor, names: tuple[str, str] = ("primal", "tangent")) -> Tensor:
    """`tangent` in the dtype of `primal`; TypeError or ValueError where it cannot be its tangent.

    Arguments:
        operation: how errors begin.
        primal: what it is the tangent of.
        tangent: a tensor of its shape, on its device, and real where it is.
        names: how messages call the two.
    """
    wanted, given = layout_of_tensor(primal), layout_of_tensor(tangent)
    if not differentiable(primal):
        raise DTypeError(f"{operation}: expected a floating or complex tensor; got {show(wanted)}; convert it first")
    too_wide = given.dtype.category == COMPLEX != wanted.dtype.category
    if too_wide or given.shape != wanted.shape or given.device is not wanted.device:
        whose, what = names
        raise ArgumentError(
            f"{operation}: expected a {what} of the {whose}'s shape and device, complex only where that is; the "
            f"{whose} is {show(wanted)} on {wanted.device}, the {what} {show(given)} on {given.device}"
        )
    return tangent if given.dtype is wanted.dtype else recorded_ops.to(tangent, (wanted.dtype,))
