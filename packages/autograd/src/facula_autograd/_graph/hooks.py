"""Hooks on nodes and leaves, and other settings of single nodes.

Note [Rules of one node]
Nodes without hooks must not pay for hooks. Therefore a node gets its own rule if it has a hook, if it saved its values
through `saved_tensors_hooks`, or if its rule must run in a certain context. The rule's `extra` contains the operator's
rule and the work around it.
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
    """The hooks and settings around the rule of one node. Unused fields are None."""

    __slots__ = ("after", "before", "inner", "metadata", "retain", "unpack", "value_hooks")

    value_hooks: Hooks | None  # of the value: called with one gradient
    before: Hooks | None  # of the node: called with a tuple of gradients
    after: Hooks | None
    retain: ref[Leaf] | None  # weak reference to the value whose .grad is retained
    unpack: Callable[[Node], Node] | None
    metadata: dict[str, AnyValue] | None  # of the node: user data

    def __init__(self, inner: Rule) -> None:
        self.inner = inner
        self.value_hooks = self.before = self.after = self.retain = self.unpack = self.metadata = None

    def watchers(self) -> list[object]:
        """Return the receivers of the gradient: hooks, and the value that retains it in its `.grad`."""
        tables = [table.values() for table in (self.value_hooks, self.before, self.after) if table is not None]
        kept = None if self.retain is None else self.retain()
        return [hook for table in tables for hook in table] + ([] if kept is None else [kept])


def wrap_rule(node: Node) -> WrappedRule:
    """Return the wrapped rule of `node`; wrap the rule if it is not yet."""
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
    # A gradient shown to hooks may have other owners; the gradients that a fresh rule computes from it do not.
    fresh = True if rule.fresh else None
    return Rule(rule.name, run_wrapped, fresh, rule.saves, rule.edges, rule.jvp, WrappedRule(rule))


def run_wrapped(F: object, node: Node, g: object) -> Pairs:
    """Run the backward of a node with a wrapped rule."""
    return run_after_hooks(F, node, apply_grad_hooks(F, node, g))


def run_after_hooks(F: object, node: Node, g: object) -> Pairs:
    """Run the part of `run_wrapped` after the hooks on the gradient."""
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
        relay(target, node)  # nodes that the rule recorded may lead to the copy
    if extra.after:
        with replace_mode(grad=records(F)):
            pairs = _run_after(extra.after, node, tuple(pairs), g)
    return pairs


def apply_grad_hooks(F: object, node: Node, g: object) -> object:
    """Call the node's hooks with `g`, and return it or its replacement."""
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
    """Call each hook with `g`, in order; a result other than None replaces it."""
    for hook in tuple(hooks.values()):
        new = hook(g)
        if new is not None:
            g = _checked_gradient(new, g)
    return g


def _checked_gradient(new: object, g: object) -> object:
    """Return a hook's result if it can replace `g`; otherwise raise an error."""
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
        node.rule.fresh = None  # hooks also receive the rule's results
    return hooks.add(hook)


def add_value_hook(value: Leaf, hook: Callable[[AnyValue], object]) -> Handle:
    """Call `hook(gradient)` once in each pass, with the complete gradient of `value`."""
    node = value.node
    if node is None:
        raise OperationError("register_hook: expected a value that requires grad; got one that does not")
    if type(node) is Node:
        return add_node_hook(node, "value_hooks", hook)
    return leaf_hooks(value).value_hooks.add(hook)


def add_post_accumulate_hook(value: Leaf, hook: Callable[[AnyValue], None]) -> Handle:
    """Call `hook(leaf)` once in each pass, when `leaf.grad` is complete."""
    if value.node is not LEAF:
        raise OperationError(
            "register_post_accumulate_grad_hook: expected a leaf that requires grad; use register_hook "
            "for the gradients of other values"
        )
    return leaf_hooks(value).after.add(hook)


def set_gradient_home(leaf: Leaf, home: AnyValue, arrived: Callable[[AnyValue], object] | None = None) -> None:
    """Let backward passes store the gradient of `leaf` in the memory of `home`, a value of its shape and dtype.

    A pass that finds `.grad` None copies the gradient to `home`, which becomes `.grad`. Passes with `create_graph` and
    programs that set `.grad` use other memory. `arrived(leaf)` is called when `.grad` is complete, after the hooks of
    the program and those of earlier calls.

    Arguments:
        leaf: a leaf that requires a gradient.
        home: the value. None: gradients have memory of their own, and without `arrived`, earlier calls are undone.
        arrived: a function of the leaf, or None.

    >>> import numpy
    >>> from facula_autograd import Variable
    >>> x, home = Variable(numpy.ones(2), requires_grad=True), Variable(numpy.zeros(2))
    >>> set_gradient_home(x, home)
    >>> (x * 3).sum().backward()
    >>> x.grad is home, home.value
    (True, array([3., 3.]))
    """
    if leaf.node is not LEAF:
        raise OperationError("set_gradient_home: expected a leaf that requires grad; got another value")
    if home is not None and adapter_of(home).metadata(home) != adapter_of(leaf).metadata(leaf):
        raise GradientError(
            f"set_gradient_home: expected memory like {adapter_of(leaf).describe(leaf)}; got "
            f"{adapter_of(home).describe(home)}"
        )
    hooks = leaf_hooks(leaf)
    hooks.home = home
    if arrived is not None:
        hooks.arrived += (arrived,)
    elif home is None:
        hooks.arrived = ()


def leaf_hooks(leaf: Leaf) -> LeafHooks:
    """Return the hooks of a leaf; create them if there are none."""
    if leaf.hooks is None:
        leaf.hooks = LeafHooks()
    return leaf.hooks


def retain_gradient(value: Leaf, node: Node) -> None:
    """Store the gradient of `value`, a non-leaf computed by `node`, in its `.grad`."""
    # A weak reference: the value refers to its node.
    wrap_rule(node).retain = ref(value)


def retains_gradient(value: Leaf, node: Node) -> bool:
    """Return whether `retain_gradient` was called for this value, which `node` computed."""
    rule = node.rule
    if rule.backward is raise_freed:
        rule = node.s0
    return rule.backward is run_wrapped and rule.extra.retain is not None and rule.extra.retain() is value


def move_hooks(value: Leaf, node: Node) -> None:
    """Move `retain_grad` of `value` from `node` to the new node that an in-place operator gave it."""
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
    """Call `hook(grad_inputs, grad_outputs)` after the rule has run; a tuple that it returns replaces `grad_inputs`.

    `grad_inputs` has one entry for each gradient that the rule returned, in its order.
    """
    return add_node_hook(self, "after", hook)


@boundary
def _register_prehook(self: Node, hook: Callable[..., object]) -> Handle:
    """Call `hook(grad_outputs)` before the rule runs; a tuple it returns replaces `grad_outputs`."""
    return add_node_hook(self, "before", hook)


def _metadata(self: Node) -> dict[str, AnyValue]:
    """A dict for the program's data, which lives as long as the node."""
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
