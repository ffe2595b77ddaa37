"""Every case of `cases/`, through every check of harness.py."""

import elements
import harness
import numpy as np
import pytest
from case import ALL
from cases import CASES
from elements import DEVICES, DTYPES, call, compare, make, operands, reference
from hypothesis import given
from hypothesis import strategies as st

import facula_tensor as ft
from facula_autograd.extend import Node, edges_of


def typed_cases(*, dtypes=None, **conditions):
    """Cases for which the conditions hold, with each dtype that `dtypes(case)` gives."""
    found = []
    for case in CASES:
        if all(bool(getattr(case, name)) == wanted for name, wanted in conditions.items()):
            found += [
                pytest.param(case, dtype, id=f"{case}-{dtype}") for dtype in (dtypes(case) if dtypes else case.dtypes)
            ]
    return found


@pytest.mark.parametrize(("case", "dtype"), typed_cases())
def test_forward(case, dtype):
    harness.check_forward(case, dtype)


PLACES = [(case, device) for case in CASES for device in DEVICES if case.meta or device != "meta"]


@pytest.mark.parametrize(("case", "device"), PLACES, ids=str)
def test_devices(case, device):
    harness.check_forward(case, case.dtypes[-1], device)
    if case.elementwise and case.arity > 1:
        harness.check_broadcast(case, case.dtypes[-1], device)


@pytest.mark.parametrize(
    ("case", "dtype"), typed_cases(rejects=True, dtypes=lambda case: [d for d in ALL if d not in case.dtypes])
)
def test_other_dtypes_are_refused(case, dtype):
    harness.check_rejected(case, dtype)


@pytest.mark.parametrize(("case", "dtype"), [one for one in typed_cases(elementwise=True) if one.values[0].arity > 1])
def test_broadcasting(case, dtype):
    harness.check_broadcast(case, dtype)


@pytest.mark.parametrize("case", [case for case in CASES if case.elementwise and case.arity == 2], ids=str)
@pytest.mark.parametrize("second", ALL)
def test_promotion(case, second):
    for first in ALL:
        harness.check_promotion(case, first, second)


@pytest.mark.parametrize(("case", "dtype"), typed_cases(inplace=True))
def test_inplace(case, dtype):
    harness.check_inplace(case, dtype)


@pytest.mark.parametrize(("case", "dtype"), typed_cases(out=True))
def test_out(case, dtype):
    harness.check_out(case, dtype)


@pytest.mark.parametrize(("case", "dtype"), typed_cases(gradient=True, dtypes=lambda case: case.gradient))
def test_gradient(case, dtype):
    harness.check_gradient(case, dtype)


def curved(case):
    """Dtypes of second derivatives; without the complex ones of a linear function, whose rule saves nothing to vary."""
    if len(case.gradient) < 2:
        return case.gradient
    try:
        leaves = [make(one, "float64").requires_grad_() for one in operands(case, "float64", "contiguous")]
        result = call(case, leaves)
    except (RuntimeError, ValueError, TypeError):
        return case.gradient
    nodes = [result.node] if isinstance(result, ft.Tensor) and isinstance(result.node, Node) else []
    for node in nodes:
        nodes += [edge for edge in edges_of(node) if isinstance(edge, Node) and edge not in nodes]
    return case.gradient if not nodes or any(node.rule.saves for node in nodes) else case.gradient[:1]


@pytest.mark.parametrize(("case", "dtype"), typed_cases(gradient=True, second=True, dtypes=curved))
def test_second_gradient(case, dtype):
    harness.check_gradient(case, dtype, second=True)


@pytest.mark.parametrize(("case", "dtype"), typed_cases(gradient=True, inplace=True, dtypes=lambda case: case.gradient))
def test_inplace_gradient(case, dtype):
    harness.check_inplace_gradient(case, dtype)


@pytest.mark.parametrize(
    ("case", "dtype"), typed_cases(gradient=True, inplace=True, second=True, dtypes=lambda case: case.gradient)
)
def test_second_inplace_gradient(case, dtype):
    harness.check_inplace_gradient(case, dtype, second=True)


@pytest.mark.parametrize("case", [case for case in CASES if case.gradient and "float16" in case.dtypes], ids=str)
def test_half_precision_gradients_have_the_operands_dtype(case):
    for dtype in [one for one in ("float16", "bfloat16", "float32") if one in case.dtypes]:
        tensors = [make(one, dtype).requires_grad_() for one in operands(case, dtype, "contiguous")]
        result = call(case, tensors)
        ft.sum(ft.view_as_real(result) if result.is_complex() else result).backward()
        assert [one.grad.dtype for one in tensors] == [DTYPES[dtype]] * len(tensors)
        assert [tuple(one.grad.shape) for one in tensors] == [tuple(one.shape) for one in tensors]


@st.composite
def arrays(draw, case, dtype, shape):
    """Elements of a random layout: some dimensions permuted, sliced with a step, or expanded."""
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.integers(1, 3)) for _ in shape]
    repeated = [draw(st.booleans()) and draw(st.booleans()) for _ in shape]
    wide = [1 if repeated[i] else shape[i] * steps[i] + draw(st.integers(0, 1)) for i in order]
    base = elements.draw(rng, tuple(wide), dtype, case)
    tensor, values = make(base, dtype), base
    back = [order.index(i) for i in range(len(shape))]
    tensor, values = tensor.permute(back) if shape else tensor, values.transpose(back)
    index = tuple(
        slice(None) if one else slice(0, size * step, step)
        for one, size, step in zip(repeated, shape, steps, strict=True)
    )
    return tensor[index].expand(shape), np.broadcast_to(values[index], shape)


@pytest.mark.parametrize("case", [case for case in CASES if case.elementwise], ids=str)
@given(data=st.data())
def test_random_operands(case, data):
    dtype = data.draw(st.sampled_from(case.dtypes))
    shape = tuple(data.draw(st.lists(st.integers(0, 5), max_size=4)))
    pairs = []
    for _ in range(case.arity):
        mine = tuple(
            1 if size > 1 and data.draw(st.booleans()) else size
            for size in shape[data.draw(st.integers(0, len(shape))) :]
        )
        pairs.append(data.draw(arrays(case, dtype, mine)))
    got = call(case, [tensor for tensor, _ in pairs])
    compare(case, got, reference(case, [values for _, values in pairs], dtype), dtype, f"random {shape}")
