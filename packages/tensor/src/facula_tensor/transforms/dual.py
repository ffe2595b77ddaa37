"""The level of one forward mode: pairs of a primal and its tangent.

Note [Tangents]
~~~~~~~~~~~~~~~
The tangent of a result is the first of these that applies:
* for an operator linear in its operands (`linear`, and all views), the operator applied to the tangents; for a
`bilinear` one, a sum of such terms;
* the result of the declaration's `jvp`;
* for an elementwise operator its vjp rules with the tangents in place of the gradient, added up: the Jacobian is
  diagonal, so it is its own transpose (complex numbers: where the operator is holomorphic, and without conjugating);
* otherwise the vjp rule applied twice. The rule is linear in its gradient g: h = vjp(g) is computed on a
separate tape, and the gradient of h with respect to g, with the tangent as h's gradient, is the tangent of the
result.
A value and its tangent use the same draw, mask or index, since rules receive the results of the call. When a
program takes a view of a tensor or changes it in place, its tangent gets the strides of the primal and unshared
memory (`DualLayout.own`), so that views of the two correspond.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from facula_autograd import is_grad_enabled
from facula_autograd.extend.modes import active_modes, current_mode, replace_mode
from facula_autograd.extend.nodes import Node, Rule, edge_to, next_seq
from facula_errors import ArgumentError, DTypeError
from facula_storage import Layout, contiguous
from facula_storage.extend.layouts import COMPLEX

from .._core.call_sites import user_site
from .._core.errors import show
from .._core.memory import overlaps_itself
from .._core.tensor import Tensor, layout_of_tensor, snapshot
from .._core.view_family import register, root_of, views_of
from .._core.wrapped import Level, LevelLayout, batched_as, batches_of, no_storage
from .._creation.filled import zeros
from .._dispatch.expressions.gradients import parameter_names
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
    """The layout slot of a pair of a primal and its tangent; a tangent of None marks a constant.

    `owned`: the tangent has the primal's strides, in memory that it shares only with its views.
    """

    __slots__ = ("owned", "primal", "tangent")

    def __init__(self, level: DualLevel, primal: Tensor, tangent: Tensor | None, owned: bool):
        self.level, self.primal, self.tangent, self.owned = level, primal, tangent, owned
        self.real = layout_of_tensor(primal)

    def constant(self) -> Tensor:
        """Return the primal, detached."""
        primal = snapshot(self.primal)
        return self.level.make(primal, None, True) if self.level.open else primal

    def readable(self, operation: str) -> Tensor:
        """The primal."""
        return self.primal

    def own(self) -> Tensor:
        """Return the tangent after making it owned; zeros if there was none."""
        if self.tangent is None:
            self.tangent, self.owned = zeros_for(self.primal), True
        elif not self.owned:
            self.tangent, self.owned = restrided(self.tangent, self.real), True
        return self.tangent


def zeros_for(primal: Tensor) -> Tensor:
    """Return zeros with the strides of `primal`."""
    return restrided(no_record_ops.zeros_like(primal), layout_of_tensor(primal))


def widened(tangent: Tensor, like: Tensor) -> Tensor:
    """Return a tangent that is batched at all levels of another one, which is to be copied into it."""
    if batches_of(like) <= batches_of(tangent):
        return tangent
    layout = layout_of_tensor(tangent)
    none = zeros(layout.shape, dtype=layout.dtype, device=layout.device)
    return restrided(recorded_ops.add(tangent, batched_as(none, like)), layout)


def restrided(tangent: Tensor, layout: Layout) -> Tensor:
    """Return a copy of a tangent with these strides; contiguous if elements would overlap."""
    if layout.is_contiguous or overlaps_itself(layout):
        return recorded_ops.clone(recorded_ops.contiguous(tangent))
    return recorded_ops.as_strided(recorded_ops.spread_out(tangent, layout), layout.shape, layout.strides, 0)


class DualLevel(Level):
    """One forward mode.

    `taped`: whether pairs also have a node if a primal requires a gradient, as PyTorch's dual tensors do. A backward
    pass from them computes gradients that are pairs. (Their primals always have separate nodes.)
    """

    __slots__ = ("taped",)

    def __init__(self, taped: bool = False) -> None:
        super().__init__()
        self.taped = taped

    def make(self, primal: Tensor, tangent: Tensor | None, owned: bool = False) -> Tensor:
        """Wrap a pair as one tensor."""
        return wrap_content(DualLayout(self, primal, tangent, owned), primal)

    def value(self, operand: Any) -> Any:
        """Return the primal of a pair of this level; others unchanged."""
        return operand._layout.primal if is_at(self, operand) else operand

    def tangent(self, operand: Any) -> Tensor | None:
        """Return the tangent of a pair of this level; None for others."""
        return operand._layout.tangent if is_at(self, operand) else None

    def carries(self) -> bool:
        """Return whether results have tangents: not after the level has ended, nor in inference mode."""
        return self.open and not (active_modes and current_mode().inference)

    def call(self, op: Operator, operands: Operands, parameters: Parameters, record: bool) -> Result:
        """Call the operator on the primals, and compute the tangent of its first result."""
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
            tangent = recorded_ops.clone(tangent)  # a rule may return it unchanged; the operand may change in place
        results[0] = self.make(results[0], tangent)
        if self.taped and record and any([isinstance(a, Tensor) and a.node is not None for a in operands]):
            node_for(op, operands, operand_layouts(operands), parameters, results)
        return results[0] if len(results) == 1 else tuple(results)

    def view(self, call: Callable[..., Any], rules: Any, input: Tensor, parameters: tuple[object, ...]) -> Any:
        """Take views of the primal and of its tangent."""
        found = call(self.value(input), *parameters)
        layout: Any = input._layout
        if found is None or not self.carries() or layout.tangent is None:
            return found
        tangents = call(layout.own(), *parameters)
        if type(found) is not tuple:
            views = [self.make(found, tangents, True)]
        else:
            views = [self.make(view, tangent, True) for view, tangent in zip(found, tangents, strict=True)]
        for view in views:
            view._viewed = input
            register(view, input)
        if self.taped and rules is not None and input.node is not None:
            for view, (rule, kept) in zip(views, rules, strict=True):
                record_view(view, input, rule, kept)
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
        """Call a user's Function, whose `jvp` computes the tangents."""
        return apply_at_dual(self, function, args, kwargs, fitted)

    def adopt(self, target: Tensor, changed: Tensor | None) -> None:
        """Make `target`, which is not of this level, and its view family pairs with zero tangents.

        Arguments:
            target: the tensor.
            changed: the tangent to be copied into one of them, which determines the levels at which they are batched.
        """
        base: Any = None
        for member, content in family_contents(target):
            if base is None:
                base, tangent = content, zeros_for(content)
                if changed is not None:
                    tangent = widened(tangent, changed)
                whole = tangent
            else:
                tangent = recorded_ops.as_strided(whole, *region(content, base))
            member._layout, member._storage = DualLayout(self, content, tangent, True), no_storage(content._storage)  # type: ignore[assignment]
            member.node = self.node_of(content)

    def node_of(self, primal: Tensor) -> Node | None:
        """Return the node of a pair that represents `primal`: it passes its gradient, a pair, on to `primal`."""
        if not self.taped or primal.node is None:
            return None
        node = Node()
        node.rule, node.seq, node.e0 = PAIRED, next_seq(), edge_to(primal)
        node.code, node.lasti = user_site()
        return node

    def widen(self, target: Tensor, changed: Tensor) -> None:
        """Batch the tangents of `target` and its view family at the levels of a tangent to be copied into them."""
        root = root_of(target)
        base: Any = root if is_at(self, root) else target
        layout = base._layout
        whole = widened(layout.own(), changed)
        if whole is not layout.tangent:
            for view in (base, target, *views_of(base)):
                if is_at(self, view):
                    tangent = recorded_ops.as_strided(whole, *region(self.value(view), layout.primal))
                    view._layout.tangent, view._layout.owned = tangent, True  # type: ignore[attr-defined]


def tangent_of(call: OperatorCall, tangents: list[Tensor | None], record: bool) -> Tensor:
    """Return the tangent of the first result of a call: see Note [Tangents].

    Arguments:
        call: the call, with the primals.
        tangents: the tangents of its operands, at least one of which is not None.
        record: whether enclosing levels, or the tape, record.
    """
    op = call.op
    F = recorded_ops if record else no_record_ops
    if op.bilinear:
        tangent = bilinear_tangent(call, tangents, F, record)
    elif op.linear:
        tangent = linear_tangent(call, tangents, record)
    elif op.jvp is not None:
        values = rule_values(call, [t is not None for t in tangents], call.layouts)
        tangent = op.jvp(F, tangents, *[values[name] for name in parameter_names(op.jvp)])
    elif op.elementwise and (op.holomorphic or not any_complex(call)):
        tangent = diagonal_tangent(call, tangents, F)
    else:
        tangent = transposed_twice(call, tangents, record)
    layout = layout_of_tensor(call.results[0])
    return tangent if layout_of_tensor(tangent).dtype is layout.dtype else F.to(tangent, (layout.dtype,))


def any_complex(call: OperatorCall) -> bool:
    """Return whether an operand or the result is complex."""
    layouts = (*call.layouts, layout_of_tensor(call.results[0]))
    return (
        any([isinstance(layout, Layout) and layout.dtype.category == COMPLEX for layout in layouts])
        or complex in layouts
    )


def linear_tangent(call: OperatorCall, tangents: list[Tensor | None], record: bool) -> Tensor:
    """Return the operator applied to the tangents, with zeros for missing ones."""
    op = call.op
    operands = [
        a if t is None and not (op.arity < 0 or op.inputs[place] in op.linear) else t
        for place, (a, t) in enumerate(zip(call.operands, tangents, strict=True))
    ]
    operands = [
        no_record_ops.zeros_like(a) if operand is None and isinstance(a, Tensor) else operand
        for a, operand in zip(call.operands, operands, strict=True)
    ]
    if "stride" in op.parameters:  # which count positions in memory
        operands = [
            operand
            if layout_of_tensor(operand).strides == layout_of_tensor(a).strides
            else restrided(operand, layout_of_tensor(a))
            for a, operand in zip(call.operands, operands, strict=True)
            if operand is not None
        ]
    return first_of(call_contents(op, tuple(operands), call.parameters, record))


def bilinear_tangent(call: OperatorCall, tangents: list[Tensor | None], F: Namespace, record: bool) -> Tensor:
    """Return the sum of one term for each tangent: the operator with the tangent in place of its operand.

    The first term includes the tangents of added operands.
    """
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
    """Apply the vjp rules of an elementwise operator to the tangents instead of a gradient."""
    shape, device = call.results[0].shape, call.results[0].device
    # Rules that sum to their operand's shape receive the result's shape, so they do not sum.
    layouts = tuple(
        [contiguous(shape, layout.dtype, device) if isinstance(layout, Layout) else layout for layout in call.layouts]
    )
    total = None
    for place, t in enumerate(tangents):
        if t is not None:
            wanted = [at == place for at in range(len(tangents))]
            term = apply_rules(call, F, t if t.shape == shape else F.expand(t, shape), wanted, layouts)[place]
            if term is not None:
                total = term if total is None else F.add(total, term)
    return no_record_ops.zeros_like(call.results[0]) if total is None else total


def transposed_twice(call: OperatorCall, tangents: list[Tensor | None], record: bool) -> Tensor:
    """Apply the vjp rules twice: the gradient, with respect to g, of their results for a gradient g."""
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
    """Return the first of several results."""
    return answer[0] if type(answer) is tuple else answer


def fitted(operation: str, primal: Tensor, tangent: Tensor, names: tuple[str, str] = ("primal", "tangent")) -> Tensor:
    """Return `tangent` in the dtype of `primal`; TypeError or ValueError if it cannot be its tangent.

    Arguments:
        operation: the prefix of error messages.
        primal: the primal.
        tangent: a tensor of the primal's shape, on its device, and real if it is real.
        names: the names of the two in messages.
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
