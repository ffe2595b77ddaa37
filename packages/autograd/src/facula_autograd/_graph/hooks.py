"""Hooks on nodes and leaves, and the other things that are asked of single nodes.

Note [Rules of one node]
A node without hooks must not pay for hooks. So a node that has one, or that saved its values
through `saved_tensors_hooks`, or that must run in a certain context, gets a rule of its own,
whose `extra` holds the operator's rule and what to do around it.
"""

from __future__ import annotations

from weakref import ref

from facula_errors import OperationError
from facula_errors.extend import boundary

from .._adapters import adapter_of, records
from .._errors import GradientError
from .._modes.context_managers import replace_mode
from .handles import Hooks, LeafHooks
from .node import LEAF, Node, Rule, next_seq, raise_freed, relay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from .._types import AnyValue, Leaf
    from .handles import Handle
    from .node import Pairs


class WrappedRule:
    """What surrounds the rule of one node. Unused fields are None."""

    __slots__ = ("after", "before", "inner", "metadata", "retain", "unpack", "value_hooks")

    value_hooks: Hooks | None  # of the value: on one gradient
    before: Hooks | None  # of the node: on a tuple of gradients
    after: Hooks | None
    retain: ref[Leaf] | None  # weak reference to the value whose .grad is wanted
    unpack: Callable[[Node], Node] | None
    metadata: dict[str, AnyValue] | None  # of the node: what users keep there

    def __init__(self, inner: Rule) -> None:
        self.inner = inner
        self.value_hooks = self.before = self.after = self.retain = self.unpack = self.metadata = None

    def watchers(self) -> list[object]:
        """What the gradient is shown to: hooks, and the value that keeps it as its `.grad`."""
        tables = [table.values() for table in (self.value_hooks, self.before, self.after) if table is not None]
        kept = None if self.retain is None else self.retain()
        return [hook for table in tables for hook in table] + ([] if kept is None else [kept])


def wrap_rule(node: Node) -> WrappedRule:
    """The surroundings of `node`'s rule, made if there are none yet."""
    rule = node.rule
    if rule.backward is run_wrapped:
        return rule.extra
    if rule.backward is raise_freed:
        raise OperationError(
            f"register_hook: expected a graph still to be differentiated; {node.name()} at {node.where} "
            "was released by an earlier backward pass"
        )
    node.rule = _wrapped(rule)
    return node.rule.extra  # type: ignore[no-any-return]


def _wrapped(rule: Rule) -> Rule:
    # Whatever hooks are shown has another owner; what a fresh rule makes afterwards has not.
    fresh = True if rule.fresh else None
    return Rule(rule.name, run_wrapped, fresh, rule.saves, rule.edges, rule.jvp, WrappedRule(rule))


def run_wrapped(F: object, node: Node, g: object) -> Pairs:
    """The backward of a node that has surroundings."""
    return run_after_hooks(F, node, apply_grad_hooks(F, node, g))


def run_after_hooks(F: object, node: Node, g: object) -> Pairs:
    """The part of `run_wrapped` that comes after the hooks on the gradient."""
    extra: WrappedRule = node.rule.extra
    target = node
    if extra.unpack is not None:
        target = extra.unpack(node)
        target.seq = next_seq()
    context = getattr(node, "context", None)
    if context is None:
        pairs = extra.inner.backward(F, target, g)
    else:
        with context:
            pairs = extra.inner.backward(F, target, g)
    if target is not node and records(F):
        relay(target, node)  # what the rule recorded may lead to the copy
    if extra.after:
        with replace_mode(grad=records(F)):
            pairs = _run_after(extra.after, node, tuple(pairs), g)
    return pairs


def apply_grad_hooks(F: object, node: Node, g: object) -> object:
    """`g`, after the node's hooks have looked at it, and perhaps replaced it."""
    extra: WrappedRule = node.rule.extra
    if extra.value_hooks or extra.before:
        with replace_mode(grad=records(F)):
            if extra.value_hooks:
                g = run_value_hooks(extra.value_hooks, g)
            if extra.before:
                for hook in tuple(extra.before.values()):
                    new = hook((g,))
                    if new is not None:
                        (g,) = new
    if extra.retain is not None:
        value = extra.retain()
        if value is not None:
            former, adapter = getattr(value, "_grad", None), adapter_of(g)
            clone = adapter.recorded_ops.clone if records(F) else adapter.clone
            add = adapter.recorded_ops.add if records(F) else adapter.add
            value._grad = clone(g) if former is None else add(former, g)
    return g


def run_value_hooks(hooks: Hooks, g: object) -> object:
    """Show `g` to each hook in turn; what one returns replaces it."""
    for hook in tuple(hooks.values()):
        new = hook(g)
        if new is not None:
            g = _checked_gradient(new, g)
    return g


def _checked_gradient(new: object, g: object) -> object:
    """What a hook returned, if it can take the place of `g`."""
    adapter = adapter_of(g)
    if adapter_of(new) is not adapter or adapter.metadata(new) != adapter.metadata(g):
        got = adapter_of(new).describe(new)
        raise GradientError(
            f"hook: expected None or a gradient like the one it was shown ({adapter.describe(g)}); it returned {got}"
        )
    return new


def _run_after(hooks: Hooks, node: Node, pairs: Pairs, g: object) -> Pairs:
    for hook in tuple(hooks.values()):
        new = hook(tuple(gradient for _, gradient in pairs), (g,))
        if new is None:
            continue
        if not isinstance(new, tuple) or len(new) != len(pairs):
            raise OperationError(
                f"register_hook: expected the hook on {node.name()} to return None or a tuple of "
                f"{len(pairs)} gradients; got {new!r}"
            )
        pairs = tuple((edge, h) for (edge, _), h in zip(pairs, new, strict=True))
    return pairs


def add_node_hook(node: Node, kind: str, hook: Callable[..., object]) -> Handle:
    """Add `hook` to a node: `kind` is "value_hooks", "before" or "after"."""
    extra = wrap_rule(node)
    hooks = getattr(extra, kind)
    if hooks is None:
        hooks = Hooks()
        setattr(extra, kind, hooks)
    if kind == "after":
        node.rule.fresh = None  # the rule's results are shown too
    return hooks.add(hook)


def add_value_hook(value: Leaf, hook: Callable[[AnyValue], object]) -> Handle:
    """Call `hook(gradient)` once for each pass, on the complete gradient of `value`."""
    node = value.node
    if node is None:
        raise OperationError("register_hook: expected a value that requires grad; got one that does not")
    if type(node) is Node:
        return add_node_hook(node, "value_hooks", hook)
    return leaf_hooks(value).value_hooks.add(hook)


def add_post_accumulate_hook(value: Leaf, hook: Callable[[AnyValue], None]) -> Handle:
    """Call `hook(leaf)` once for each pass, when `leaf.grad` is complete."""
    if value.node is not LEAF:
        raise OperationError(
            "register_post_accumulate_grad_hook: expected a leaf that requires grad; use register_hook "
            "for the gradients of other values"
        )
    return leaf_hooks(value).after.add(hook)


def leaf_hooks(leaf: Leaf) -> LeafHooks:
    """The hooks of a leaf, made if there are none yet."""
    if leaf.hooks is None:
        leaf.hooks = LeafHooks()
    return leaf.hooks


def retain_gradient(value: Leaf, node: Node) -> None:
    """Let the gradient of `value`, which is not a leaf but computed by `node`, land in its `.grad`."""
    # Weakly: the value holds its node.
    wrap_rule(node).retain = ref(value)


def retains_gradient(value: Leaf, node: Node) -> bool:
    """Whether `retain_gradient` was asked for this very value, which `node` computed."""
    rule = node.rule
    if rule.backward is raise_freed:
        rule = node.s0
    return rule.backward is run_wrapped and rule.extra.retain is not None and rule.extra.retain() is value


def move_hooks(value: Leaf, node: Node) -> None:
    """After an in-place operator gave `value` a new node: let `retain_grad` follow it there from `node`."""
    rule, moved_to = node.rule, value.node
    if type(moved_to) is not Node or rule.backward is not run_wrapped:
        return
    extra: WrappedRule = rule.extra
    if extra.retain is not None and extra.retain() is value:
        extra.retain = None
        retain_gradient(value, moved_to)


def set_context(node: Node, context: AbstractContextManager[object]) -> None:
    """Run `node`'s rule inside `context`, a context manager that can be entered more than once."""
    wrap_rule(node)
    node.context = context


@boundary
def _register_hook(self: Node, hook: Callable[..., object]) -> Handle:
    """Call `hook(grad_inputs, grad_outputs)` after the rule ran; a tuple it returns replaces `grad_inputs`.

    `grad_inputs` has one entry per gradient that the rule gave, in its order.
    """
    return add_node_hook(self, "after", hook)


@boundary
def _register_prehook(self: Node, hook: Callable[..., object]) -> Handle:
    """Call `hook(grad_outputs)` before the rule runs; a tuple it returns replaces `grad_outputs`."""
    return add_node_hook(self, "before", hook)


def _metadata(self: Node) -> dict[str, AnyValue]:
    """A dict of the program's own, which lives as long as the node."""
    rule = self.rule
    if rule.backward is raise_freed:
        if self.s0.backward is not run_wrapped:
            self.s0 = _wrapped(self.s0)
        extra: WrappedRule = self.s0.extra
    else:
        extra = wrap_rule(self)
    if extra.metadata is None:
        extra.metadata = {}
    return extra.metadata


Node.metadata = property(_metadata)  # type: ignore[misc, assignment]
for _method in (_register_hook, _register_prehook):
    _method.__name__ = _method.__name__.removeprefix("_")
    _method.__qualname__ = f"Node.{_method.__name__}"
    setattr(Node, _method.__name__, _method)
