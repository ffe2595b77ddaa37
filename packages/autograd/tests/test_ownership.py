"""No two owners of a gradient share memory that is written to."""

import pytest
from autograd_helpers import Box, BoxAdapter, alias, many, recorded_ops
from hypothesis import given, settings
from hypothesis import strategies as st

from facula_autograd import Function, backward, detect_anomaly, grad
from facula_autograd.extend import Rule, edge_to, record


class Same(Function):
    """Passes its gradient on, and keeps a reference to it."""

    held = None

    @staticmethod
    def forward(ctx, x):
        return alias(x)

    @staticmethod
    def backward(ctx, g):
        Same.held = g
        return g


def ways(a, b):
    """Return operators that pass gradients on in every possible way."""
    return {
        "a + b": lambda: a + b,
        "a + a": lambda: a + a,
        "clone": lambda: recorded_ops.clone(a) + b,
        "chain": lambda: recorded_ops.clone(recorded_ops.clone(a)),
        "many": lambda: (lambda p: p[0] + p[1])(many(a + b, 2)),
        "function": lambda: Same.apply(a) + Same.apply(b),
        "mixed": lambda: a * b + a + b,
    }


@pytest.mark.parametrize("first", ways(None, None))
@pytest.mark.parametrize("second", ways(None, None))
@pytest.mark.parametrize("given_gradient", [False, True])
def test_another_pass_changes_only_grad(first, second, given_gradient):
    a, b, c = Box(3.0, True), Box(2.0, True), Box(5.0, True)
    shown = []
    out = ways(a, b)[first]()
    out.register_hook(lambda g: shown.append(g))
    seed = Box(1.0)
    out.backward(seed if given_gradient else None, retain_graph=True)
    cells = [leaf.grad.cell for leaf in (a, b) if leaf.grad is not None]
    assert len({id(cell) for cell in cells}) == len(cells)
    returned = grad(out, (a, b), Box(1.0), allow_unused=True, retain_graph=True)
    held = [g for g in (*shown, *returned, seed, Same.held) if g is not None]
    before = [g.number for g in held]
    b_before = None if b.grad is None else b.grad.number
    backward(ways(a, c)[second](), Box(1.0))
    assert [g.number for g in held] == before
    assert (None if b.grad is None else b.grad.number) == b_before
    assert all(leaf.grad is None or leaf.grad.cell not in [g.cell for g in held] for leaf in (a, b, c))


def test_fresh_gradients_become_grad_without_a_copy():
    made = []
    x, y = Box(3.0, True), Box(2.0)
    out = x * y
    node = out.node
    inner = node.rule.backward

    def spy(F, node, g):
        pairs = inner(F, node, g)
        made.extend(h for _, h in pairs)
        return pairs

    node.rule = Rule("spied", spy, True, True)
    out.backward()
    assert x.grad is made[0]


def test_two_gradients_of_a_leaf_are_added_without_a_copy(monkeypatch):
    x = Box(3.0, True)
    out = x + x
    monkeypatch.setattr(BoxAdapter, "clone", lambda adapter, v: pytest.fail("copies"))
    out.backward(Box(1.0))
    assert x.grad.number == 2


def test_copies_of_rules_that_pass_gradients_on_become_grad(monkeypatch):
    x = Box(3.0, True)
    out, made = recorded_ops.clone(x), Box(7.0)
    out.node.rule = Rule("reshape", lambda F, node, g: ((node.e0, made),), False, False)
    monkeypatch.setattr(BoxAdapter, "is_apart", lambda adapter, a, b: a.cell is not b.cell, raising=False)
    out.backward(Box(1.0))
    assert x.grad is made


def test_gradients_of_hooks_are_not_changed_later():
    a, seen = Box(3.0, True), []
    h = a * Box(2.0)
    h.register_hook(seen.append)
    (h + h * Box(3.0)).backward()
    (a * Box(7.0)).backward()
    assert [g.number for g in seen] == [4.0]
    assert a.grad.number == 15.0


def test_results_of_leaf_hooks_are_copied():
    mine = Box(10.0)
    a = Box(3.0, True)
    a.register_hook(lambda g: mine)
    (a * Box(2.0)).backward()
    assert a.grad.number == 10.0
    assert a.grad.cell is not mine.cell
    (a * Box(2.0)).backward()
    assert mine.number == 10.0


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=25))
def test_random_graphs_share_nothing(steps):
    leaves = [Box(1.0, True), Box(2.0, True), Box(-1.0, True)]
    values = list(leaves)
    for plus, i, j in steps:
        a, b = values[i % len(values)], values[j % len(values)]
        values.append(a + b if plus else a * b)
    seed = Box(1.0)
    values[-1].backward(seed)
    cells = [leaf.grad.cell for leaf in leaves if leaf.grad is not None] + [seed.cell]
    assert len(set(map(id, cells))) == len(cells)
    assert seed.number == 1.0
    assert [leaf.number for leaf in leaves] == [1.0, 2.0, -1.0]


def test_given_gradients_are_copied():
    a, seed = Box(3.0, True), Box(1.0)
    out = recorded_ops.clone(recorded_ops.clone(a))
    out.backward(seed)
    assert a.grad.cell is not seed.cell
    a.backward(seed)
    assert (seed.number, a.grad.number) == (1.0, 2.0)


def test_gradients_of_inner_inputs_are_not_added_into():
    x = Box(1.0, True)
    older = x * Box(3.0)
    inner = recorded_ops.clone(x)
    out = inner * Box(2.0) + older  # inner's gradient is passed on to x, where it is joined by older's
    assert [g.number for g in grad(out, (inner, x))] == [2.0, 5.0]


def test_gradients_shown_to_node_hooks_are_not_added_into():
    x, shown = Box(3.0, True), []
    out = x * Box(2.0)
    out.grad_fn.register_hook(lambda ins, outs: shown.extend(ins))
    out.backward()
    (x * Box(5.0)).backward()
    assert [g.number for g in shown] == [2.0]
    assert x.grad.number == 7.0


@pytest.mark.filterwarnings("ignore:backward.create_graph")
def test_recorded_gradients_are_not_added_into():
    x = Box(3.0, True)
    (x * x).backward(create_graph=True)
    first = x.grad
    (x * x).backward(create_graph=True)
    assert (first.number, x.grad.number) == (6.0, 12.0)
    total = x.grad
    x.grad = None
    assert grad(total, x)[0].number == 4.0


JOINED = []  # the sums to which parts were added
PART = Rule("part", lambda F, node, g: ((node.e0, Box(g.number)),), True, False)


def _add_to(total, F, node, g):
    JOINED.append(total)
    total.cell.number += g.number
    return ()


PART.add_to = _add_to


def part(a):
    """Return a copy whose gradient is added to a sum by its rule."""
    out = Box(a.number)
    record(out, PART).e0 = edge_to(a)
    return out


JOINS = {  # the number of parts that are added, of a program of a leaf and of a value that is computed from it
    "parts of a value": (lambda x, y: part(y) + part(y) + part(y), 2),
    "one part": (lambda x, y: part(y) + x, 0),
    "a sum that others hold": (lambda x, y: (part(y) + y) + x, 0),
    "a fresh product and a part": (lambda x, y: part(y) + y * Box(1.0), 1),
    "parts of a leaf": (lambda x, y: part(x) + part(x) + y, 1),
    "parts of parts": (lambda x, y: (lambda z: part(z) + part(z))(part(y)), 1),
}


@pytest.mark.parametrize("name", JOINS)
def test_parts_are_added_to_sums_of_one_owner(name):
    program, count = JOINS[name]
    x = Box(3.0, True)
    expected = grad(program(x, x * Box(2.0)), x)[0].number
    JOINED.clear()
    program(x, x * Box(2.0)).backward()
    assert (x.grad.number, len(JOINED)) == (expected, count)
    total, seed = x.grad, Box(1.0)
    program(x, x * Box(2.0)).backward(seed)
    assert x.grad is total
    assert (total.number, seed.number) == (2 * expected, 1.0)


@pytest.mark.filterwarnings("ignore:backward.create_graph")
def test_parts_are_not_added_where_gradients_are_seen_or_recorded():
    x = Box(3.0, True)
    JOINED.clear()
    y = x * Box(2.0)
    (part(y) + part(y)).backward(create_graph=True)
    with detect_anomaly():
        (lambda y: part(y) + part(y))(x * Box(2.0)).backward()
    assert JOINED == []
    shown = []
    x.register_hook(shown.append)
    (part(x) + part(x)).backward()
    assert len(JOINED) == 1  # to the sum that the hook is shown, not to `.grad`
    assert x.grad.number == 10.0
    assert [g.number for g in shown] == [2.0]
