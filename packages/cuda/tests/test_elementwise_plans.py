"""Plans of elementwise operators and programs: results are the CPU's bits for all layouts, without a fallback."""

import numpy as np
import pytest
from compared import Array, assert_same_bits, run_both

from facula_cuda._driver import lib
from facula_cuda._planners import elementwise, plan_elementwise
from facula_cuda.testing import driver_calls, pending
from facula_storage import Device, LaunchError, contiguous, float32, layout_of
from facula_storage.extend.plans import STATUS_REQUIRED, Instruction, Program

RANDOM = np.random.default_rng(0)
SHIFTED = Program(
    "shifted", 2, (0.5,), (Instruction("sub", (0, 1)), Instruction("abs", (3,)), Instruction("mul", (4, 2))), (5,)
)
BOTH = Program("both", 2, (), (Instruction("add", (0, 1)), Instruction("mul", (0, 1))), (2, 3))
OPERATORS = {  # inputs and outputs by dtype, and numbers
    "add": (["float32", "float32"], ["float32"], []),
    "exp": (["float32"], ["float32"], []),
    "copy": (["float32"], ["int64"], []),
    "where": (["bool", "float32", "float32"], ["float32"], []),
    "lt": (["int32", "int32"], ["bool"], []),
    "mul": (["float32", float], ["float32"], [1.5]),
    "maximum": (["float16", "float16"], ["float16"], []),
    SHIFTED: (["float64", "float64"], ["float64"], []),
    BOTH: (["float32", "float32"], ["float32", "float32"], []),
}
VIEWS = {
    "contiguous": (lambda a: a, lambda a: a),
    "after one element": (lambda a: a.reshape(-1)[1:], lambda a: a.reshape(-1)[1:]),
    "transposed": (lambda a: a.T, lambda a: a),
    "every other": (lambda a: a[:, ::2], lambda a: a[:, :9]),
    "into columns": (lambda a: a[:, :9], lambda a: a[:, 1::2]),
    "rows repeated": (lambda a: np.broadcast_to(a[:1], a.shape), lambda a: a),
    "columns repeated": (lambda a: np.broadcast_to(a[:, :1], a.shape), lambda a: a),
    "one element": (lambda a: a[3, 4, ...], lambda a: a[5, 6, ...]),
    "no elements": (lambda a: a[:, :0], lambda a: a[:, :0]),
}


def array_of(dtype, view, shape=(18, 18)):
    values = RANDOM.normal(size=shape) * 3
    return Array(values > 0 if dtype == "bool" else values, dtype, view)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda one: getattr(one, "name", one))
def test_operators_are_the_cpus(backend, operator, view):
    inputs, outputs, numbers = OPERATORS[operator]
    of_input, of_output = VIEWS[view]
    operands = [one if isinstance(one, type) else array_of(one, of_input) for one in inputs]
    results = [Array(np.full((18, 18), 1), one, of_output) for one in outputs]
    assert_same_bits(*run_both(operator, operands, results, numbers=numbers))


@pytest.mark.parametrize("n", [1, 3, 4, 5, 1023, 1024, 1025, 5000])
def test_any_size(backend, n):
    operands = [array_of("float32", lambda a: a, (n,)) for _ in range(2)]
    assert_same_bits(*run_both("add", operands, [Array(np.zeros(n), "float32")]))


def test_one_plan_serves_any_size_and_other_layouts(backend):
    layout = contiguous((4,), float32, Device("cuda:0"))
    plan = plan_elementwise("add", (layout, layout), (layout,), ())
    assert plan.any_size and plan.out is layout
    wide = contiguous((4, 3), float32, Device("cuda:0"))
    row = contiguous((3,), float32, Device("cuda:0"))
    assert plan.for_layouts(wide, wide, row) is not None
    assert plan.for_layouts(wide, wide, layout) is None  # 4 does not broadcast to 3
    again = plan_elementwise("add", (wide, row), (wide,), ())
    assert not again.any_size and again.for_layouts is not None


def test_launches_only_queue(backend):
    layout = contiguous((4,), float32, Device("cuda:0"))
    plan = plan_elementwise("fill", (float,), (layout,), ())
    address, _ = backend.allocator.refill(16)
    before, queued = driver_calls(), pending()
    for number in range(5):
        plan.launch(4, address, float(number))
    assert driver_calls() - before == {"cuLaunchKernel": 5} and pending() == queued + 5
    found = np.zeros(4, "f4")
    backend.copy_out(address, found)
    assert (found == 4).all()


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(7,), (5000,), (60, 70), (200, 300)])
def test_folded_programs(backend, reduction, dtype, shape):
    """The rest of the sum's value is rounded once; blocks are joined in another order than the CPU's."""
    program = SHIFTED._replace(reduction=reduction)
    operands = [array_of(dtype, lambda a: a, shape), array_of(dtype, lambda a: a, shape[-1:])]
    (expected,), (found,) = run_both(program, operands, [Array(np.zeros(()), dtype)])
    np.testing.assert_allclose(found, expected, {"float32": 2.0**-23, "float64": 2.0**-50}[dtype])


@pytest.mark.parametrize("ndim", [6, 7, 9])
@pytest.mark.parametrize("operator", [SHIFTED, BOTH], ids=lambda one: one.name)
def test_many_dimensions(backend, operator, ndim):
    """Arrays whose dimensions do not merge: a kernel has room for six, another one for more."""

    def cut(array):
        return array[(slice(None, 2),) * array.ndim]

    _, outputs, _ = OPERATORS[operator]
    a = Array(RANDOM.normal(size=(3,) * ndim), outputs[0], cut)
    b = Array(RANDOM.normal(size=(2, 1) * (ndim // 2)), outputs[0])
    results = [Array(np.zeros((2,) * (ndim - 1) + (6,)), one, lambda array: array[..., ::3]) for one in outputs]
    assert_same_bits(*run_both(operator, [a, b], results))
    if operator is SHIFTED:
        (expected,), (found,) = run_both(SHIFTED._replace(reduction="sum"), [a, b], [Array(np.zeros(()), "float64")])
        np.testing.assert_allclose(found, expected, 1e-15)


def test_more_dimensions_than_any_memory_has(backend):
    layout = layout_of((2,) * 34, tuple(3**k for k in range(34)), float32, Device("cuda:0"))
    assert plan_elementwise("exp", (layout,), (layout,), ()) is None


def test_what_has_no_kernel_is_declined(backend):
    layout = contiguous((4,), float32, Device("cuda:0"))
    assert plan_elementwise("no such operator", (layout,), (layout,), ()) is None
    assert plan_elementwise("add", (layout, None), (layout,), ()) is None
    assert plan_elementwise("uniform", (), (layout,), ()) is None
    assert plan_elementwise("sgd_step", (layout, layout), (), (2,)) is None


REFUSING = Program("positive", 1, (0.0,), (Instruction("gt", (0, 1)), Instruction("require", (2,))), (0,))


@pytest.mark.parametrize("reduction", ["", "sum"])
@pytest.mark.parametrize("view", ["contiguous", "every other"])
def test_elements_that_are_refused_are_reported_at_the_next_wait(backend, reduction, view):
    def result(values):
        operand = Array(values, "float32", VIEWS[view][0])
        output = Array(np.zeros(()) if reduction else np.zeros(operand.shape), "float32").layout("cuda:0")
        plan = plan_elementwise(REFUSING._replace(reduction=reduction), (operand.layout("cuda:0"),), (output,), ())
        address, _block = backend.allocator.refill(2 * values.nbytes)
        backend.copy_in(address, values)
        plan.launch(output.numel, address, address + values.nbytes)
        backend.synchronize()

    result(np.ones((18, 18), "f4"))
    with pytest.raises(LaunchError) as caught:
        result(np.where(np.arange(324).reshape(18, 18) == 200, -1, 1).astype("f4"))
    assert caught.value.args[0] == STATUS_REQUIRED
    result(np.ones((18, 18), "f4"))


def test_each_device_has_its_own_functions(backend):
    codes = [9]
    forms = [elementwise.form_of(index, "add", (9, 9), tuple(codes)) for index in (0, 1)]
    assert forms[0] is not forms[1]
    for index in (1, 0):
        layout = contiguous((4,), float32, Device(f"cuda:{index}"))
        there = layout.device.backend
        address, _block = there.allocator.refill(16)
        there.copy_in(address, np.arange(4, dtype="f4"))
        there.plan("add", (layout, layout), (layout,), ()).launch(4, address, address, address)
        found = np.zeros(4, "f4")
        there.copy_out(address, found)
        assert found.tolist() == [0, 2, 4, 6]
    assert lib.facula_cuda_current_index() == 0
