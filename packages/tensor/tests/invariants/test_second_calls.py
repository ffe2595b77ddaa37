"""The second call with a signature takes no slow path: every operator, each way of calling it, and its backward."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from samples import CHANGES, SAMPLES, differentiable, every_change, every_operator, pair
from slow_path import Entry, Watch

import facula_tensor as ft
from facula_storage.extend import clear_layout_caches
from facula_tensor.extend import operators, recorded_ops
from facula_tensor.testing._writing import change

sys.path.insert(0, str(Path(__file__).parent.parent / "operators"))
from cases import CASES
from elements import lay, make, operands

# Operators that take the slow path in each call, by reason: their `execute` runs them, or one of those below.
# `test_excused_operators` fails for an operator that no longer takes it.
EXECUTED = {name for name, op in operators.items() if op.execute is not None}  # without a plan
COPIED = {  # for operands that are not contiguous, as their kernels require
    "attention", "avg_pool2d", "avg_pool2d_grad", "batch_norm", "batch_norm_counted", "batch_norm_eval", "conv2d",
    "conv2d_input", "conv2d_weight", "cosine_rows", "cosine_rows_grad", "dropout", "group_norm", "layer_norm",
    "local_response_norm", "local_response_norm_grad",
    "log_standard_gamma", "max_pool2d", "max_pool2d_grad", "max_pool2d_pick", "max_pool2d_values",
    "max_pool2d_values_grad", "recurrent", "resample", "rms_norm",
    "scatter", "scatter_product", "scatter_taps", "standard_gamma", "triangle",
    "triangular_solve", "unit_rows", "weigh_taps",
}  # fmt: skip
# In-place changes: with a factor if memory is not contiguous or is broadcast, and one with two bounds.
SLOW_CHANGES = {
    ("add(alpha=2), in place", "transposed"), ("clamp, in place", "transposed"),
    ("sub(alpha=0.5) of a row, in place", "contiguous"), ("sub(alpha=0.5) of a row, in place", "transposed"),
}  # fmt: skip
CONTIGUOUS = {  # kernels of gradients that accept only these
    "attention_grad", "batch_norm_grad", "group_norm_grad", "layer_norm_grad", "recurrent_grad", "rms_norm_grad",
    "unit_rows_grad",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _clear_plans():
    """Clear the plans of other tests."""
    clear_layout_caches()


def excused(entry: Entry) -> bool:
    """Tell if the slow path is known to be taken in each call."""
    name, layouts = entry.operator.name, entry.layouts
    kinds = [(layout.dtype.is_complex, layout.dtype.is_floating_point, layout.dtype.itemsize) for layout in layouts]
    return (
        name in EXECUTED
        or (any(kind[0] for kind in kinds) and not has_complex_path(entry))
        or bool in entry.numbers
        or (int in entry.numbers and any(not floating and size < 8 for _, floating, size in kinds))
        or (name in COPIED and not all(layout.is_contiguous for layout in layouts))
    )


def has_complex_path(entry: Entry) -> bool:
    """Tell if fast paths serve such a call: of tensors that need no conversion, as only slow paths request plans."""
    dtypes = {operand.dtype for operand in entry.operands if isinstance(operand, ft.Tensor)}
    return entry.operator.finds_complex_rules and complex not in entry.numbers and len(dtypes) == 1


def entries(call, prepare=tuple):
    """Return what the second of two equal calls enters. Only the first one makes plans."""
    call(*prepare())
    given = prepare()
    with Watch() as watch:
        call(*given)
    assert not watch.planned, f"planned again: {watch.planned}"
    assert not watch.windows, f"worked out again: {watch.windows}"
    return watch.entries


def check(what, call, prepare=tuple):
    entered = [str(entry) for entry in entries(call, prepare) if not excused(entry)]
    assert not entered, f"{what}: slow again: {entered}"


def transposed(x):
    """Return a leaf with the same elements, transposed in memory."""
    return x.detach().mT.clone().mT.requires_grad_(x.requires_grad) if x.ndim > 1 else x


LAYOUTS = {"contiguous": lambda x: x, "transposed": transposed}


def clear(*leaves):
    for leaf in leaves:
        leaf.grad = None


@every_operator
def test_operators(name):
    sample = SAMPLES[name]
    for layout, lay_out in LAYOUTS.items():
        if name in CONTIGUOUS and layout != "contiguous":
            continue
        plain = [*map(lay_out, sample.leaves(narrow=True, requires_grad=False))]
        check(layout, lambda plain=plain: sample(*plain))
        leaves = [*map(lay_out, sample.leaves(narrow=True))]
        check(f"{layout}, recorded", lambda leaves=leaves: sample(*leaves))

        def forward(leaves=leaves):
            clear(*leaves)
            result = sample(*leaves)
            return result, ft.ones_like(result, memory_format=ft.contiguous_format)

        if differentiable(sample(*leaves)):
            check(f"{layout}, backward", lambda result, g: result.backward(g), forward)


PIECES = {
    "split": lambda x: x.split(2, 1),
    "split by lengths": lambda x: ft.split(x, (1, 2), 0),
    "chunk": lambda x: x.chunk(3, -1),
    "unbind": lambda x: x.unbind(1),
    "rows": lambda x: list(x),
}


@pytest.mark.parametrize("name", PIECES)
def test_pieces(name):
    for requires_grad in (False, True):
        x, _ = pair(dtype=ft.float32, requires_grad=requires_grad)
        check(name, lambda x=x: PIECES[name](x))


@every_change
def test_changes(name):
    for layout, lay_out in LAYOUTS.items():
        given = [*map(lay_out, CHANGES[name].leaves(narrow=True, requires_grad=False))]
        if (name, layout) in SLOW_CHANGES:
            assert entries(lambda given=given: CHANGES[name].change(*given)), f"{layout}: no longer an exception"
        else:
            check(layout, lambda given=given: CHANGES[name].change(*given))


@every_change
def test_recorded_changes(name):
    """If the slow path records them, the second call makes no plan."""
    first, *others = CHANGES[name].leaves(narrow=True)
    entries(lambda target: CHANGES[name].change(target, *others), lambda: (first * 1,))


def dtype_of(case):
    """Return a dtype that the case supports on the fast path."""
    return next((dtype for dtype in ("float32", "int64", "bool") if dtype in case.dtypes), None)


@pytest.mark.parametrize("case", [case for case in CASES if dtype_of(case)], ids=str)
def test_cases(case):
    dtype = dtype_of(case)
    arrays = operands(case, dtype, "contiguous")
    for layout in LAYOUTS:
        tensors = [lay(array, dtype, layout) for array in arrays]
        check(layout, lambda tensors=tensors: case.function(*tensors))
    first, *others = [make(array, dtype) for array in arrays]
    if case.elementwise and case.arity == 2 and case.numbers and dtype == "float32":
        for number in (2, 2.5):
            check(f"the number {number}", lambda number=number: case.function(first, number))
    if case.out:  # if the slow path writes to it, the second call makes no plan
        entries(
            lambda out: case.function(first, *others, out=out),
            lambda: (ft.empty_like(case.function(first, *others)),),
        )
    if case.inplace and case.result(dtype) == dtype and (f"{case.name}, in place", "contiguous") not in SLOW_CHANGES:
        check("in place", lambda: change(case, first, *others))


SET = {  # by index: the part of a 4 by 5 tensor that it selects
    "1": lambda x, v: x.__setitem__(1, v),
    "-1": lambda x, v: x.__setitem__(-1, v),
    "1:3": lambda x, v: x.__setitem__(slice(1, 3), v),
    "...": lambda x, v: x.__setitem__(..., v),
    ":, 1": lambda x, v: x.__setitem__((slice(None), 1), v),
    "1:3, ::2": lambda x, v: x.__setitem__((slice(1, 3), slice(None, None, 2)), v),
    "None, 1:": lambda x, v: x.__setitem__((None, slice(1, None)), v),
    "1, 2": lambda x, v: x.__setitem__((1, 2), v),
}
VALUES = {
    "float": lambda: 1.5,
    "int": lambda: 2,
    "tensor": lambda: ft.tensor(3.0),
    "int64 tensor": lambda: ft.tensor(3),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("index", SET)
def test_setitem(index, value, layout):
    x = LAYOUTS[layout](ft.zeros(4, 5))
    given = VALUES[value]()
    for dtype in (ft.float32, ft.float64, *([ft.int64] if value == "int" else [])):
        target = x.to(dtype)
        SET[index](target, given)
        with Watch() as watch:
            SET[index](target, given)
        assert not watch.others, dtype


def test_setitem_of_tensors_takes_the_slow_path_once():
    x, row = ft.zeros(4, 5), ft.ones(5)
    with Watch() as watch:
        x[1] = 2.0
        x[1] = row
        x[2] = row
        x[:, 2:4] = row[:2]
    assert watch.others == ["setitem"]


FAMILIES = {
    "a bool": lambda x, y: ft.eq(x > y, True),
    "an int beside a narrower integer": lambda x, y: x.to(ft.int32) + 2,
    "cat": lambda x, y: recorded_ops.cat((x, y), (0,)),
    "stack": lambda x, y: recorded_ops.stack((x, y), (0,)),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_excused_families(name):
    x, y = pair(dtype=ft.float32, requires_grad=False)
    assert entries(lambda: FAMILIES[name](x, y)), "no longer an exception"


@pytest.mark.parametrize("name", sorted(COPIED))
def test_excused_operators(name):
    """Each still takes the slow path, in its call or in its backward."""
    lay_out = LAYOUTS["transposed" if name in COPIED else "contiguous"]
    leaves = [*map(lay_out, SAMPLES[name].leaves(narrow=True))]

    def call():
        result = SAMPLES[name](*leaves)
        if differentiable(result) and not result.is_complex():
            result.sum().backward()

    assert name in map(str, entries(call, lambda: clear(*leaves) or ())), "no longer an exception"


def test_what_is_refused_is_refused_after_a_first_call():
    x, leaf = ft.arange(8.0), ft.ones(4, requires_grad=True)
    ft.exp(x[:4], out=x[4:])  # its plan is stored
    with pytest.raises(RuntimeError, match="share part of their memory"):
        ft.exp(x[:4], out=x[1:5])
    with pytest.raises(RuntimeError, match="gradient"):
        ft.exp(leaf, out=x[4:])
    x.reshape(2, 4).select(0, 1)
    with pytest.raises(TypeError, match="index"):
        x.reshape(2, 4).select(0, 1.0)


@pytest.mark.parametrize("dtype", [ft.bool, ft.int64, ft.float16, ft.float64, ft.complex64])
def test_operands_of_other_dtypes_take_no_slow_path(dtype):
    x = ft.ones(3, 4, requires_grad=True)
    for other in (ft.ones(3, 4, dtype=dtype), ft.ones(4, dtype=dtype), ft.ones((), dtype=dtype)):
        check("product", lambda other=other: x * other)
        if dtype is not ft.bool:
            check("difference", lambda other=other: other - x.detach())
    (x * other).abs().sum().backward()
    assert x.grad.dtype is ft.float32


def test_recorded_changes_take_no_slow_path():
    x, leaf = ft.ones(3, 4), ft.ones(3, 4, requires_grad=True)
    for change_it in (lambda y: y.exp_(), lambda y: y.mul_(leaf), lambda y: y.div_(2.0), lambda y: y.add_(x)):
        assert not entries(change_it, lambda: (leaf * 2,))
        viewed = leaf * 2
        first = viewed[0]
        assert entries(change_it, lambda viewed=viewed: (viewed,)), "views are renewed there"
        assert first.grad_fn is not None and ft.equal(first, viewed[0])
