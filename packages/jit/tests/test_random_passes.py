"""Random programs with conditions, loops and in-place changes: passes and files preserve every bit."""

import ast

from hypothesis import given, settings
from hypothesis import strategies as st
from jit_toys import same
from test_random_scripts import (
    NAMES,
    call,
    counted,
    load,
    name,
    programs_of,
    ranged,
    same_results,
    shown,
    state,
    tests,
)

import facula_jit
from facula_jit import capture, script
from facula_tensor import manual_seed, randn


def changing(target, method, operand):
    """Return `target.add_(operand)` or a similar statement."""
    return [ast.Expr(call(load(target), method, load(operand))), ast.Expr(call(load(target), "tanh_"))]


names = st.sampled_from([*NAMES, "state"])
in_place = st.builds(changing, names, st.sampled_from(["add_", "mul_", "copy_"]), names)
changes = [lambda some: in_place] * 2
programs = programs_of(
    lambda some: st.builds(counted, tests, some), lambda some: st.builds(ranged, name, some), *changes
)
differentiable = programs_of(lambda some: st.builds(changing, st.just("state"), st.just("add_"), st.just("state")))


def check(parts, step, weights, seed, folder):
    """Compare a step with its captures, with and without passes, and with files of both, for several calls."""
    captures = [capture(step, on_break="error", passes=chosen) for chosen in ((), facula_jit.passes.DEFAULT)]
    loaded = []
    for number in range(8):
        manual_seed(seed + number)
        given, before = [randn(3) for _ in NAMES], randn(3)
        if number == 4:
            for captured in captures:
                facula_jit.save(captured, folder / "graph")
                loaded.append(facula_jit.load(folder / "graph"))
        found = []
        for version in (*captures, *loaded):
            own = version.state_dict().get("state", state) if version in loaded else state
            own.copy_(before)
            leaves = list(version.parameters()) if version in loaded else weights
            for leaf in leaves:
                leaf.grad = None
            result = version(*[operand.clone() for operand in given])
            if getattr(result, "requires_grad", False):
                result.backward()
                result = result.detach()
            gradients = {id(leaf): leaf.grad for leaf in leaves if leaf.grad is not None}
            found.append((result, own.clone(), sorted([gradient.numpy().tobytes() for gradient in gradients.values()])))
        assert all([same(outcome, found[0]) for outcome in found]), shown(parts)
    return captures


@settings(max_examples=25)
@given(programs, st.integers(0, 99))
def test_random_programs(tmp_path_factory, parts, seed):
    check(parts, script(same_results(parts)), [], seed, tmp_path_factory.mktemp("files"))


@settings(max_examples=25)
@given(differentiable, st.integers(0, 99), st.booleans())
def test_random_gradients(tmp_path_factory, parts, seed, inside):
    weights = [randn(3).requires_grad_() for _ in NAMES]
    function = script(same_results(parts))

    def step(*given):
        a, b, c = function(*[w * operand for w, operand in zip(weights, given)])
        loss = (a * b).sum() + (c * c).sum()
        if not inside:
            return loss
        for w in weights:
            w.grad = None
        loss.backward()
        return loss.detach()

    check(parts, step, weights, seed, tmp_path_factory.mktemp("files"))
