"""Programs of elementwise operations against NumPy: tiles, strides, dtypes, aliases, several results, requirements."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import BACKEND, Bits, empty, layout, narrow, numpy_dtype, widen

from facula_cpu import get_num_threads, set_num_threads
from facula_cpu._runtime.registry import find_kernel
from facula_errors import UnsupportedError
from facula_errors.testing import raises
from facula_storage import LaunchError
from facula_storage.extend import STATUS_REQUIRED, Instruction, Program

OPERATIONS = {
    "add": (2, np.add),
    "sub": (2, np.subtract),
    "mul": (2, np.multiply),
    "neg": (1, np.negative),
    "abs": (1, np.abs),
    "maximum": (2, np.maximum),
    "exp": (1, lambda x: np.exp(x)),
}
SWAP = Program("swap", 2, (), (), (1, 0))
CLIP = Program(
    "clip", 2, (0.0,), (Instruction("gt", (0, 1)), Instruction("where", (3, 0, 2))), (4,)
)  # a where it is above b, else 0


def launch(program, operands, outputs):
    """Run a program on arrays and numbers."""
    inputs = tuple(type(one) if isinstance(one, float) else layout(one) for one in operands)
    plan = BACKEND.plan(program, inputs, tuple(map(layout, outputs)), ())
    arrays = [one for one in operands if not isinstance(one, float)]
    numbers = [one for one in operands if isinstance(one, float)]
    plan.launch(outputs[0].size, *[one.ctypes.data for one in (*arrays, *outputs)], *numbers)
    return outputs


@st.composite
def programs(draw):
    """Any program of three operands and one constant, with one or two results."""
    instructions, count = [], 4
    for _ in range(draw(st.integers(1, 12))):
        name = draw(st.sampled_from(sorted(OPERATIONS)))
        values = tuple(draw(st.integers(0, count - 1)) for _ in range(OPERATIONS[name][0]))
        instructions.append(Instruction(name, values))
        count += 1
    results = tuple(draw(st.integers(0, count - 1)) for _ in range(draw(st.integers(1, 2))))
    return Program("random", 3, (0.5,), tuple(instructions), results, is_apart=draw(st.booleans()))


def meaning(program, operands):
    values = [*operands, np.float32(program.constants[0])]
    for name, given_values in program.instructions:
        with np.errstate(all="ignore"):
            values.append(OPERATIONS[name][1](*[values[i] for i in given_values]))
    return [values[i] for i in program.results]


@given(programs(), st.sampled_from([1, 5, 511, 513, 2000]), st.sampled_from(["dense", "strided", "row", "number"]))
def test_random_programs(program, length, kind):
    random = np.random.default_rng(length)
    a, b, c = (random.uniform(-1, 1, (3, length)).astype("f4") for _ in range(3))
    if kind == "strided":
        b = np.ascontiguousarray(b.T).T
    elif kind == "row":
        b = np.broadcast_to(b[:1], b.shape)
    elif kind == "number":
        c = 0.25
    wanted = meaning(program, [a, b, np.float32(0.25) if kind == "number" else c])
    outputs = launch(program, [a, b, c], [np.empty_like(a) for _ in program.results])
    for got, expected in zip(outputs, wanted, strict=True):
        np.testing.assert_allclose(got, np.broadcast_to(expected, a.shape), rtol=1e-5, atol=1e-5)
    if len(program.results) == 1 and kind != "row" and not program.is_apart:  # in place: the same bits
        launch(program, [a, b, c], [a])
        np.testing.assert_array_equal(a, outputs[0])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", ["dense", "strided", "row", "number", "cube"])
@pytest.mark.parametrize("length", [0, 1, 15, 600, 70_000])
def test_reductions(length, kind, dtype):
    random = np.random.default_rng(length)
    a, b = random.uniform(-1, 1, (2, 3, length)).astype(dtype)
    if kind == "strided":
        a, b = a[:, ::-1], np.ascontiguousarray(b.T).T
        a = np.repeat(a, 2, 1)[:, ::2]
    elif kind == "row":
        b = np.broadcast_to(b[:1], b.shape)
    elif kind == "number":
        b = 0.25
    elif kind == "cube":
        a, b = np.broadcast_to(a[:, None], (3, 4, length)).transpose(1, 2, 0), b[None].transpose(0, 2, 1)
    wanted = ((a - b) ** 2).astype("f8")
    square = (Instruction("sub", (0, 1)), Instruction("mul", (2, 2)))
    for reduction, expected in {"sum": wanted.sum(), "mean": wanted.sum() / wanted.size if length else np.nan}.items():
        program = Program("squares", 2, (), square, (3,), reduction)
        outputs = []
        for threads in (1, 2, 5):
            before = get_num_threads()
            set_num_threads(threads)
            try:
                outputs += launch(program, [a, b], [np.empty((), dtype)])
            finally:
                set_num_threads(before)
        np.testing.assert_allclose(outputs[0], expected, rtol=1e-6 if dtype == "f4" else 1e-14)
        assert outputs[0].tobytes() == outputs[1].tobytes() == outputs[2].tobytes()


def test_results_may_be_operands():
    """Check results that equal operands, and a result in an operand's memory."""
    a, b = np.arange(1000, dtype="f8"), -np.arange(1000, dtype="f8")
    first, second = launch(SWAP, [a, b], [np.empty_like(a), np.empty_like(a)])
    np.testing.assert_array_equal(first, b)
    np.testing.assert_array_equal(second, a)
    kept = a.copy()
    launch(SWAP, [a, b], [a, second])
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(second, kept)


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "int32", "int64"])
def test_dtypes(name):
    a, b = np.arange(-700, 700).astype(name), np.full(1400, 3, name)
    (got,) = launch(CLIP, [a, b], [np.empty_like(a)])
    np.testing.assert_array_equal(got, np.where(a > b, a, 0))


def test_half_precision_is_rounded_once():
    """Check that intermediate values are float32."""
    program = Program("back", 1, (1.0,), (Instruction("add", (0, 1)), Instruction("sub", (2, 1))), (3,))
    a = np.full(600, 2.0**-12, "f2")
    np.testing.assert_array_equal(launch(program, [a], [np.empty_like(a)])[0], a)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("length", [7, 1400])
def test_rounding_instructions(name, length, level):
    """Check that rounded arrays, scalars and values equal the stored ones."""
    a = np.random.default_rng(length).integers(0, 1 << 32, length, "u4").view("f4")
    steps = (name, (0,)), (name, (1,)), ("add", (2, 3)), (name, (4,)), ("sub", (5, 0))
    program = Program("rounded", 2, (), tuple([Instruction(*one) for one in steps]), (5, 6))
    with np.errstate(all="ignore"):
        first = narrow(widen(narrow(a, name)) + widen(narrow(np.float32(0.3), name)), name)
        second = widen(first) - a
    half, single = launch(program, [a, 0.3], [empty(length, name), np.empty_like(a)])
    np.testing.assert_array_equal(widen(half), widen(first))
    np.testing.assert_array_equal(single, second)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_half_precision_operands(name, level):
    """Check that copied operands keep all bits, and that a result is not written over an unread operand."""
    every = np.arange(1 << 16, dtype="u2").view(numpy_dtype(name))
    every = every.view(Bits) if name == "bfloat16" else every
    kept = Program("kept", 1, (), (Instruction(name, (0,)),), (1,))
    assert launch(kept, [every], [empty(1 << 16, name)])[0].tobytes() == every.tobytes()
    a, b = narrow(np.arange(700.0), name), narrow(np.arange(700.0) / 3, name)
    steps = Instruction("add", (0, 0)), Instruction(name, (2,)), Instruction("sub", (3, 1))
    wanted = [widen(a) * 2, widen(narrow(widen(a) * 2 - widen(b), name))]
    found = launch(Program("late", 2, (), steps, (3, 4)), [a, b], [b, empty(700, name)])
    for got, one in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(widen(got), one)


def test_a_failed_requirement_fails_the_launch():
    """Check an element at several positions."""
    program = Program("positive", 2, (0.0,), (Instruction("gt", (0, 2)), Instruction("require", (3,))), (1,))
    a, b = np.ones(200_000, "f4"), np.ones(200_000, "f4")
    launch(program, [a, b], [np.empty_like(a)])
    for place in (0, 777, 199_999):
        a[place] = -1
        with pytest.raises(LaunchError) as failure:
            launch(program, [a, b], [np.empty_like(a)])
        assert failure.value.args[0] == STATUS_REQUIRED
        a[place] = 1


def test_operations_without_a_loop_are_refused():
    program = Program("gap", 1, (), (Instruction("no such operation", (0,)),), (1,))
    a = np.ones(3, "f4")
    assert find_kernel("no such operation", 9, 9) is None
    with raises(UnsupportedError, "gap"):
        launch(program, [a], [np.empty_like(a)])
