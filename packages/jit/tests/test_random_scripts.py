"""Random programs with conditions, loops and returns: their scripts, captured or not, have the same results."""

import ast

from hypothesis import given, settings
from hypothesis import strategies as st
from jit_toys import same

from facula_jit import capture, script
from facula_jit._source.function_ast import function_of
from facula_tensor import manual_seed, randn, tensor, zeros

NAMES = ["a", "b", "c"]
state = zeros(3)  # programs may change it
name = st.sampled_from(NAMES)


def load(one):
    return ast.Name(one, ast.Load())


def call(value, method, *arguments):
    return ast.Call(ast.Attribute(value, method, ast.Load()), list(arguments), [])


def value_of(one):
    """Return `tanh(a op b)`, which is bounded."""
    left, sign, right = one
    sign = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult}[sign]()
    return call(ast.BinOp(load(left), sign, load(right)), "tanh")


values = st.tuples(name, st.sampled_from("+-*"), name).map(value_of)


def compared(one):
    left, sign, right = one
    return ast.Compare(call(load(left), "sum"), [{"<": ast.Lt, ">": ast.Gt}[sign]()], [call(load(right), "mean")])


plain = st.tuples(name, st.sampled_from("<>"), name).map(compared)
tests = st.one_of(
    plain,
    st.tuples(st.sampled_from([ast.And(), ast.Or()]), plain, plain).map(
        lambda pair: ast.BoolOp(pair[0], list(pair[1:]))
    ),
    plain.map(lambda test: ast.UnaryOp(ast.Not(), test)),
    st.booleans().map(ast.Constant),
)


def assigned(target, value):
    return ast.Assign([ast.Name(target, ast.Store())], value)


assigns = st.one_of(
    st.builds(assigned, name, values),
    st.builds(lambda target, test, one, other: assigned(target, ast.IfExp(test, one, other)),
              name, tests, values, values),
)  # fmt: skip
_numbers = iter(range(10**9))


def counted(test, body):
    """Return `n = tensor(0)`, and a loop of at most three iterations."""
    n = f"n{next(_numbers)}"
    below = ast.Compare(load(n), [ast.Lt()], [ast.Constant(3)])
    step = assigned(n, ast.BinOp(load(n), ast.Add(), ast.Constant(1)))
    loop = ast.While(ast.BoolOp(ast.And(), [below, test]), [*body, step], [])
    return [assigned(n, ast.Call(load("tensor"), [ast.Constant(0)], [])), loop]


def ranged(one, body):
    """Return a loop over as many numbers as there are positive elements."""
    i = f"i{next(_numbers)}"
    count = call(ast.Compare(load(one), [ast.Gt()], [ast.Constant(0)]), "sum")
    use = assigned(one, ast.BinOp(load(one), ast.Add(), ast.Subscript(load(one), load(i), ast.Load())))
    use = ast.Assign(use.targets, call(use.value, "tanh"))
    head = ast.Call(load("range"), [count], [])
    return [ast.For(ast.Name(i, ast.Store()), head, [*body, use], [])]


def programs_of(*further):
    """Draw programs of assignments, conditions, and statements of further strategies."""

    def blocks(inner):
        some = st.lists(inner, min_size=1, max_size=3).map(lambda lists: [node for each in lists for node in each])
        either = st.one_of(st.just([]), some)
        choices = st.builds(lambda test, body, other: [ast.If(test, body, other)], tests, some, either)
        return st.one_of(assigns.map(lambda statement: [statement]), choices, *[make(some) for make in further])

    statements = st.recursive(assigns.map(lambda statement: [statement]), blocks, max_leaves=6)
    leaving = st.builds(lambda test, body, value: [ast.If(test, [*body, ast.Return(value)], [])],
                        tests, statements, values)  # fmt: skip
    return st.lists(st.one_of(statements, leaving), min_size=1, max_size=4)


programs = programs_of(lambda some: st.builds(counted, tests, some), lambda some: st.builds(ranged, name, some))
differentiable = programs_of()


def like(a, b, c):
    return a, b, c, tensor


def made_of(parts):
    body = [statement for part in parts for statement in part]
    body.append(ast.Return(ast.Tuple([load(name) for name in NAMES], ast.Load())))
    tree = ast.FunctionDef("program", like_arguments(), body, [])
    tree.type_params = []
    tree.lineno, tree.col_offset = 1, 0
    return function_of(ast.fix_missing_locations(tree), like)


def like_arguments():
    return ast.arguments([], [ast.arg(name) for name in NAMES], None, [], [], None, [])


def same_results(parts):
    """Draw a program with early results that have the structure of the last one."""
    for node in [entry for part in parts for each in part for entry in ast.walk(each)]:
        if isinstance(node, ast.Return):
            node.value = ast.Tuple([node.value, *[load(name) for name in NAMES[1:]]], ast.Load())
    return made_of(parts)


def shown(parts):
    return ast.unparse(ast.Module([statement for part in parts for statement in part], []))


@settings(max_examples=25)
@given(programs, st.integers(0, 99))
def test_random_programs(parts, seed):
    program = same_results(parts)
    scripted = script(program)
    captured = capture(scripted, on_break="error")
    for number in range(5):
        manual_seed(seed + number)
        given = [randn(3) for _ in NAMES]
        wanted = program(*given)
        for version in (scripted, captured):
            assert same(version(*given), wanted), shown(parts)


@settings(max_examples=25)
@given(differentiable, st.integers(0, 99), st.booleans(), st.booleans())
def test_gradients_of_random_programs(parts, seed, inside, leaves):
    program = same_results(parts)
    weights = [randn(3).requires_grad_() for _ in NAMES]

    def step_of(function):
        def step(*given):
            first, *others = [w * number for w, number in zip(weights, given)]
            a, b, c = function(weights[0] if leaves else first, *others)
            loss = (a * b).sum() + (c * c).sum()
            if not inside:
                return loss
            for w in weights:
                w.grad = None
            loss.backward()
            return loss.detach()

        return step

    steps = step_of(program), capture(step_of(script(program)), on_break="error")
    for number in range(5):
        manual_seed(seed + number)
        given = [randn(3) for _ in NAMES]
        found = []
        for step in steps:
            for w in weights:
                w.grad = None
            loss = step(*given)
            if not inside:
                loss.backward()
            found.append([loss.detach(), *[w * 0 if w.grad is None else w.grad * 1 for w in weights]])
        for result, other in zip(*found):
            assert (result - other).abs().max() <= 1e-5 * (1 + result.abs().max()), shown(parts)
