"""Fused elementwise launches equal eager code bit for bit, for every elementwise operator and for random programs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facula_tensor as ft
from facula_cpu.extend import at_level, levels
from facula_jit import capture
from facula_tensor.extend import operators

APART = {
    "all_true",
    "first_position",
    "next_position",
    "within",
    "binary_cross_entropy",
    "conjugate",
}  # they require something, or support complex numbers
OPERATORS = [
    operator
    for operator in operators.values()
    if operator.elementwise and operator.arity > 0 and operator.name not in APART
]
DTYPES = ("float32", "float64", "int64", "uint8", "float16", "bfloat16")
HALVES = DTYPES[-2:]
ROUNDED = ("float32", *HALVES)
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-42, 3e38, -2.5, 0.5, 127.0, 1e-7, 20.0, -90.0, 65504.0,
           2.0**-14, 3 * 2.0**-24)  # fmt: skip
SHAPES = {  # of the operands, in order
    "small": ((3, 5), (3, 5), (3, 5)),
    "more than a tile": ((3, 401), (3, 401), (3, 401)),
    "broadcast": ((4, 33), (33,), (4, 1)),
    "one": ((1,), (7, 9), ()),
    "strided": ((3, 5), (3, 5), (3, 5)),
}


def values(shape, dtype, seed):
    """Return special values among random ones."""
    generator = np.random.default_rng(seed)
    made = generator.standard_normal(shape) * 3
    special = generator.choice(SPECIAL, size=shape)
    made = np.where(generator.random(shape) < 0.3, special, made)
    if "float" in dtype:
        return ft.from_numpy(made.astype(np.float64 if dtype == "float64" else np.float32)).to(getattr(ft, dtype))
    return ft.from_numpy(np.asarray(generator.integers(0, 100, size=shape), dtype))


def bits(tensor):
    """Return the bits of all elements, with a single NaN, since which of two NaNs results is unspecified."""
    array = (tensor.float() if tensor.dtype is ft.bfloat16 else tensor).numpy().copy()
    if array.dtype.kind == "f":
        array[np.isnan(array)] = np.nan
    return tensor.dtype, array.shape, array.tobytes()


def launches(captured):
    """Return the numbers of launches before and after passes."""
    (replay,) = [entry for kind in captured._entries.values() for entry in kind.replays]
    return replay.launches_before, len(replay.recording.launches)


def check(function, make, calls=4):
    captured = capture(function)
    for number in range(calls):
        wanted, found = function(*make(number)), captured(*make(number))
        assert list(map(bits, found)) == list(map(bits, wanted)), f"{number}\n{captured.graph()}"
    return captured


MASKED = ("alpha_dropped", "where")  # whose first operand is a mask


def chain(operator):
    """Return a function with the operator between others."""
    arity = operator.arity

    def call(*given):
        return operator.call(given[0] > 0, *given[1:]) if operator.name in MASKED else operator.call(*given)

    def function(*operands):
        given = [operand + operand for operand in operands[:arity]]
        made = call(*given)
        made = made if isinstance(made, tuple) else (made,)
        return [*made, *[ft.where(result == result, given[0], operands[-1]) for result in made]]

    return function


@pytest.mark.parametrize("number", range(len(OPERATORS)), ids=[op.name for op in OPERATORS])
def test_every_elementwise_operator_is_itself_in_a_program(number):
    """In float32, a half-precision dtype and another dtype with one shape each: loops of all dtypes have their
    own tests.
    """
    operator, fused = OPERATORS[number], []
    function = chain(operator)
    for place, dtypes in enumerate((ROUNDED[:1], HALVES, DTYPES[1:4])):
        shape = list(SHAPES)[(number + place) % len(SHAPES)]
        taken = (SHAPES[shape] * 2)[: max(operator.arity, 2)]
        turned = dtypes[number % len(dtypes) :] + dtypes[: number % len(dtypes)]
        for dtype in turned:  # the first one is the operator's
            args = [values(operand, dtype, k) for k, operand in enumerate(taken)]
            args = [arg.t() for arg in args] if shape == "strided" else args
            try:
                function(*args)
            # this dtype or these values are not supported
            except (TypeError, ValueError, RuntimeError, NotImplementedError):
                continue
            before, after = launches(check(function, lambda number: args, calls=3))
            fused.append(dtype)
            assert after < before or dtype not in ROUNDED
            break
    assert fused


UNARY = "neg abs relu exp sqrt tanh sigmoid floor reciprocal square logical_not isnan".split()
BINARY = "add sub mul maximum minimum atan2 lt eq hypot copysign".split()
IN_PLACE = "add_ mul_ sub_ copy_".split()
VIEWS = {
    "transposed": lambda x: x.transpose(-1, -2),
    "first row": lambda x: x[:1],
    "part": lambda x: x[..., 1:],
    "flat": lambda x: x.reshape(-1),
    "again": lambda x: x.reshape(-1).reshape(x.shape),
    "contiguous": lambda x: x.contiguous(),
}
place = st.integers(0, 30)
steps = st.one_of(
    st.tuples(st.just("unary"), st.sampled_from(UNARY), place),
    st.tuples(st.just("binary"), st.sampled_from(BINARY), place, place),
    st.tuples(st.just("number"), st.sampled_from(BINARY[:3]), place, st.sampled_from([2, 0.5, -1, 3])),
    st.tuples(st.just("in place"), st.sampled_from(IN_PLACE), place, place),
    st.tuples(st.just("view"), st.sampled_from(sorted(VIEWS)), place),
    st.tuples(st.just("where"), place, place, place),
    st.tuples(st.just("sum"), place),
    st.tuples(st.just("product"), place),
    st.tuples(st.just("dtype"), st.sampled_from(["float64", "float32", "int64", "bool", *HALVES]), place),
    st.tuples(st.just("constant"), st.sampled_from([(1.0, 2.0, 3.0, 4.0), (-0.0,) * 4])),
)


def program(lines, results):
    """Return a function that runs the lines, except those that fail."""

    def function(*tensors):
        known = [*tensors, tensors[0] * 1.5]
        for kind, *rest in lines:
            taken = [known[operand % len(known)] if isinstance(operand, int) else operand for operand in rest]
            try:
                if kind == "number":
                    made = getattr(ft, rest[0])(taken[1], rest[2])
                elif kind in ("unary", "binary"):
                    made = getattr(ft, rest[0])(*taken[1:])
                elif kind == "in place":
                    made = getattr(taken[1], rest[0])(taken[2])
                elif kind == "view":
                    made = VIEWS[rest[0]](taken[1])
                elif kind == "where":
                    made = ft.where(taken[0] > 0, *taken[1:])
                elif kind == "sum":
                    made = taken[0].sum()
                elif kind == "product":
                    made = taken[0] @ taken[0].transpose(-1, -2)
                elif kind == "dtype":
                    made = taken[1].to(getattr(ft, rest[0]))
                else:
                    made = ft.tensor(rest[0])
            except (TypeError, ValueError, IndexError, RuntimeError, NotImplementedError):
                continue
            known.append(made)
        return [known[result % len(known)].clone() for result in results] + [tensors[-1].clone()]

    return function


@given(
    lines=st.lists(steps, min_size=3, max_size=25), results=st.lists(place, min_size=1, max_size=3),
    shape=st.sampled_from([(4, 4), (3, 4), (2, 3, 4), (1, 4), (4, 600)]), dtype=st.sampled_from(ROUNDED),
)  # fmt: skip
def test_random_programs(lines, results, shape, dtype):
    function = program(lines, results)

    def make(number):
        return [values(shape, dtype, number), values((shape[-1],), dtype, 50 + number), kept.clone()]

    kept = values(shape, dtype, 99)
    check(function, make)


links = st.one_of(
    st.tuples(st.sampled_from("neg abs relu exp tanh sigmoid square".split())),
    st.tuples(st.sampled_from("add sub mul maximum atan2".split()), st.booleans()),
    st.tuples(st.sampled_from("add mul sub div".split()), st.sampled_from([0.1, 3, -2.5, 1e-6, 7e4])),
    st.tuples(st.just("to"), st.sampled_from(ROUNDED)),
    st.tuples(st.just("where")),
)


@given(chain=st.lists(links, min_size=2, max_size=9), dtype=st.sampled_from(ROUNDED), at=st.sampled_from(levels()),
       numel=st.sampled_from([3, 600]))  # fmt: skip
def test_chains_of_several_dtypes_and_their_gradients(chain, dtype, at, numel):
    """Each operator's result is rounded in one program like by a separate launch."""
    weight = values((numel,), "float32", 7).requires_grad_()

    def function(x):
        weight.grad = None
        made = weight.to(getattr(ft, dtype)) * x - 0.1
        for name, *rest in chain:
            if name == "to":
                made = made.to(getattr(ft, rest[0]))
            elif name == "where":
                made = ft.where(made > x, made, 0.3)
            elif rest:
                given = x if rest == [True] else made if rest == [False] else rest[0]
                made = getattr(ft, name)(made, given)
            else:
                made = getattr(ft, name)(made)
        made = made * 0.7 - made
        made.backward(made.detach() * 0.3 + 1)
        return made.detach(), weight.grad.clone()

    with at_level(at):
        captured = check(function, lambda number: [values((numel,), dtype, number)], calls=4)
        before, after = launches(captured)
    assert after < before
