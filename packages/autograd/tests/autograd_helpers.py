"""A mutable value small enough to inspect: it shows which values share memory, and which operators wrote to it."""

from __future__ import annotations

from sys import _getframe

from facula_autograd.extend import (
    Adapter,
    Rule,
    Value,
    active_modes,
    check_saved,
    current_mode,
    describe_call_site,
    edge_to,
    move_hooks,
    pack_saved,
    record,
    record_many,
    register_adapter,
)


class Cell:
    """The memory of a Box."""

    __slots__ = ("mutator", "number", "version")

    def __init__(self, number):
        self.number, self.version, self.mutator = number, 0, None


class Box(Value):
    """One number, in memory that aliases share."""

    __slots__ = ("__weakref__", "cell")

    def __init__(self, number, requires_grad=False):
        self.cell, self.node = Cell(number), None
        if requires_grad:
            self.requires_grad_()

    number = property(lambda self: self.cell.number)

    def detach(self):
        return alias(self)

    def __mul__(self, other):
        return recorded_ops.mul(self, other)

    def __add__(self, other):
        return recorded_ops.add(self, other)

    def __repr__(self):
        return f"Box({self.number})"


def alias(box):
    new = Box.__new__(Box)
    new.cell, new.node = box.cell, None
    return new


def write_(box, number):
    """Change a box in place, without recording."""
    frame = _getframe(1)
    box.cell.number = number
    box.cell.version += 1
    box.cell.mutator = ("write_", frame.f_code, frame.f_lasti)
    return box


def grad_wanted(*boxes):
    return any(b.node is not None for b in boxes) and (not active_modes or current_mode().grad)


def _mul(F, node, g):
    pairs = []
    if node.e0 is not None:
        pairs.append((node.e0, F.mul(g, check_saved(node, node.s1, node.v1, "the second operand"))))
    if node.e1 is not None:
        pairs.append((node.e1, F.mul(g, check_saved(node, node.s0, node.v0, "the first operand"))))
    return pairs


def _add(F, node, g):
    return tuple((e, g) for e in (node.e0, node.e1) if e is not None)


MUL = Rule("mul", _mul, True, True)
ADD = Rule("add", _add, False, False)
CLONE = Rule("clone", lambda F, node, g: ((node.e0, g),), False, False)
CALLS = []  # the order in which `traced` nodes ran


def _traced(F, node, g):
    CALLS.append(node.s0)
    return ((node.e0, g),)


TRACED = Rule("traced", _traced, False, False)


class Raw:
    def mul(self, a, b):
        return Box(a.number * b.number)

    def add(self, a, b):
        return Box(a.number + b.number)

    def clone(self, a):
        return Box(a.number)


class Recording(Raw):
    def mul(self, a, b):
        out = super().mul(a, b)
        if grad_wanted(a, b):
            node = record(out, MUL, 3)
            node.e0, node.e1 = edge_to(a), edge_to(b)
            # Only the values needed for a gradient.
            node.s0, node.v0 = (a, a.cell.version) if b.node is not None else (None, 0)
            node.s1, node.v1 = (b, b.cell.version) if a.node is not None else (None, 0)
            if active_modes and current_mode().saved_hooks:
                pack_saved(node, current_mode().saved_hooks, Box)
        return out

    def add(self, a, b):
        out = super().add(a, b)
        if grad_wanted(a, b):
            node = record(out, ADD, 3)
            node.e0, node.e1 = edge_to(a), edge_to(b)
        return out

    def clone(self, a):
        out = super().clone(a)
        if grad_wanted(a):
            record(out, CLONE).e0 = edge_to(a)  # e1 stays unset
        return out


def traced(a, name):
    out = Box(a.number)
    node = record(out, TRACED)
    node.e0, node.s0 = edge_to(a), name
    return out


def _many(F, node, g):
    total = None
    for part in g:
        if part is not None:
            total = F.clone(part) if total is None else F.add(total, part)
    return () if total is None else ((node.e0, total),)


MANY = Rule("many", _many, True, False)


def many(a, count):
    """Return `count` copies of `a` from one operator."""
    outs = [Box(a.number) for _ in range(count)]
    if grad_wanted(a):
        record_many(outs, MANY).e0 = edge_to(a)
    return outs


def _add_all(F, node, g):
    return [(e, g) for e in node.rest if e is not None]


ADD_ALL = Rule("add_all", _add_all, False, False, edges=lambda node: node.rest)


def add_all(*boxes):
    """Add any number of operands: an operator with edges in `rest`."""
    out = Box(sum(b.number for b in boxes))
    if grad_wanted(*boxes):
        record(out, ADD_ALL).rest = tuple(edge_to(b) for b in boxes)
    return out


def double_(a):
    """Double `a` in place, recorded: `a` gets a new node."""
    former = a.node
    write_(a, a.number * 2)
    if grad_wanted(a):
        two = Box(2.0)
        node = record(a, MUL)
        node.e0, node.e1, node.s1, node.v1 = former, None, two, 0
        move_hooks(a, former)
    return a


no_record_ops, recorded_ops = Raw(), Recording()


class BoxAdapter(Adapter):
    no_record_ops, recorded_ops = no_record_ops, recorded_ops

    def add(self, a, b):
        return no_record_ops.add(a, b)

    def add_into(self, a, b):
        a.cell.number += b.number
        a.cell.version += 1
        return a

    def clone(self, v):
        return Box(v.number)

    def ones_like(self, v):
        return Box(1.0)

    def zeros_like(self, v):
        return Box(0.0)

    def zeros(self, metadata):
        return Box(0.0)

    def alias(self, v):
        return alias(v)

    def metadata(self, v):
        return "text" if isinstance(v.number, str) else "number"

    def differentiable(self, v):
        return isinstance(v.number, float)

    def version(self, v):
        return v.cell.version

    def describe(self, v):
        return f"the box of {v.number}"

    def describe_mutation(self, v):
        m = v.cell.mutator
        return None if m is None else f"{m[0]} at {describe_call_site(m[1], m[2])}"

    def is_finite(self, v, nan=True, inf=True):
        x = v.number
        return not ((nan and x != x) or (inf and abs(x) == float("inf")))

    def elements(self, v):
        return [v.number]

    def from_elements(self, like, elements):
        return Box(elements[0])


register_adapter(Box, BoxAdapter())
