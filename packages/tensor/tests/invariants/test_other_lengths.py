"""Calls that differ from an earlier one only in lengths and strides take no slow path and have correct results."""

from functools import partial
from operator import setitem

import numpy as np
import pytest
from slow_path import calls as watched
from slow_path import slow_calls

import facula_tensor as ft
from facula_errors.testing import raises
from facula_storage import listen
from facula_tensor.extend import operators
from facula_tensor.functional import (
    adaptive_avg_pool1d,
    avg_pool2d,
    batch_norm,
    conv2d,
    conv_transpose1d,
    group_norm,
    interpolate,
    layer_norm,
    linear,
    max_pool1d,
    max_pool2d,
    pad,
    rms_norm,
)

LENGTHS = (7, 1, 3, 2, 0, 50, 1000)


@pytest.mark.parametrize("dtype", [ft.float32, ft.float16, ft.int64, ft.complex64])
@pytest.mark.parametrize("shape", [(3,), (1, 3), (1,), (2, 3), (2, 1), (5, 1, 3)])
def test_results_and_gradients(dtype, shape):
    values = (np.arange(30) % 11 - 5).reshape(5, 2, 3)
    row = ft.tensor(values.reshape(-1)[: int(np.prod(shape))].reshape(shape)).to(dtype)
    differs = dtype.is_floating_point
    if shape[0] == 5 and len(shape) == 3:
        row = row[:1]
    row.requires_grad_(differs)
    for length in LENGTHS:
        x = ft.tensor(np.arange(length * 6).reshape(length, 2, 3) % 7).to(dtype).requires_grad_(differs)
        expected = x.detach().numpy() * row.detach().numpy() + x.detach().numpy()
        y = x * row + x
        assert np.array_equal(y.detach().numpy(), expected.astype(expected.dtype))
        assert (x.detach() == row.detach()).tolist() == (x.detach().numpy() == row.detach().numpy()).tolist()
        if differs:
            y.sum().backward()
            wanted = np.broadcast_to(row.detach().numpy() + 1, x.shape)
            assert np.array_equal(x.grad.numpy(), wanted.astype(x.detach().numpy().dtype))


@pytest.mark.parametrize("shape", [(15, 2, 0), (0, 15, 2), (15, 0)])
def test_no_elements_of_other_strides(shape):
    """Layouts of no elements may repeat elements along dimensions of any order."""
    ft.ones(5, 4) * ft.ones(4)
    repeated, part = ft.ones(1, *shape[1:]).expand(shape), ft.ones(*shape[:-1], shape[-1] + 3)[..., : shape[-1]]
    assert (repeated * part).shape == (part * repeated).shape == (part * part).shape == shape


def square(n, dtype=ft.float32):
    """Numbers from -2 to 4. NumPy makes them, because small ranges are cached, and copied by an operator."""
    return ft.from_numpy((np.arange(n * n).reshape(n, n) % 7 - 2).astype(np.float32)).to(dtype)


CALLS = {
    "x + row": lambda n: square(n) + square(n)[0],
    "row - x": lambda n: square(n)[:1] - square(n),
    "x * column": lambda n: square(n) * square(n)[:, :1],
    "x + x.t()": lambda n: square(n) + square(n).t(),
    "row + column": lambda n: square(n)[0] + square(n)[:, :1],
    "row + row of one more dimension": lambda n: square(n)[0] + square(n)[:1],
    "x < row": lambda n: square(n) < square(n)[0],
    "x == x.t()": lambda n: square(n) == square(n).t(),
    "columns * 2.5": lambda n: square(n)[:, :-1] * 2.5,
    "columns * 2": lambda n: square(n)[:, :-1] * 2,
    "2.5 - columns": lambda n: 2.5 - square(n)[:, :-1],
    "2 - x": lambda n: 2 - square(n),
    "columns.exp()": lambda n: square(n)[:, :-1].exp(),
    "-x.t()": lambda n: -square(n).t(),
    "where": lambda n: ft.where(square(n) > 0, square(n)[0], square(n).t()),
    "where with a number": lambda n: ft.where(square(n) > 0, square(n)[0], 0.5),
    "clamp": lambda n: square(n).t().clamp(0.5, 2),
    "clamp_": lambda n: square(n).clamp_(0.5, 2),
    "columns += row": lambda n: square(n)[:, 1:].add_(square(n)[0, 1:]),
    "columns += themselves": lambda n: (lambda part: part.add_(part))(square(n)[:, 1:]),
    "columns *= 2.5": lambda n: square(n)[:, 1:].mul_(2.5),
    "columns *= 2": lambda n: square(n)[:, 1:].mul_(2),
    "columns.relu_()": lambda n: square(n)[:, 1:].relu_(),
    "x @ y": lambda n: square(n) @ square(n)[:, 1:],
    "x @ row": lambda n: square(n) @ square(n)[0],
    "linear": lambda n: linear(square(n), square(n)[1:], square(n)[0, 1:]),
    "sum": lambda n: square(n).sum(0),
    "mean": lambda n: square(n).mean(-1, True),
    "softmax": lambda n: square(n).softmax(-1),
    "max": lambda n: square(n).max(1).values,
    "to float64": lambda n: square(n)[:, 1:].to(ft.float64),
    "flip": lambda n: square(n).flip(0),
    "flip, another dimension": lambda n: square(n).flip(n % 2),
    "roll": lambda n: square(n).t().roll((1, -1), (0, 1)),
    "roll, flattened": lambda n: square(n).roll(n),
    "repeat": lambda n: square(n)[:, 1:].repeat(2, 1, 3),
    "repeat_interleave": lambda n: square(n).repeat_interleave(3, 0),
    "pad": lambda n: pad(square(n)[:, 1:], (1, n, 0, 2), value=1),
    "pad, negative": lambda n: pad(square(n), (-1, 0)),
    "unfold": lambda n: square(n).unfold(1, 2, 1).clone(),
    "diag_embed": lambda n: ft.diag_embed(square(n)),
    "max_pool1d": lambda n: max_pool1d(square(n)[None], 2, padding=1),
    "max_pool2d with indices": lambda n: max_pool2d(square(n)[None], 2, ceil_mode=True, return_indices=True)[1],
    "avg_pool2d": lambda n: avg_pool2d(square(n)[None], 2),
    "adaptive_avg_pool1d": lambda n: adaptive_avg_pool1d(square(n)[None], 3),
    "conv2d": lambda n: conv2d(square(n)[None, None], square(2)[None, None]),
    "conv_transpose1d": lambda n: conv_transpose1d(square(n)[:1], square(3)[:1, None], stride=2),
    "interpolate": lambda n: interpolate(square(n)[None], scale_factor=2),
    "layer_norm": lambda n: layer_norm(square(n), (n,)),
    "rms_norm": lambda n: rms_norm(square(n), (n,)),
    "group_norm": lambda n: group_norm(square(n)[None].repeat(1, 2, 1), 2),
    "batch_norm": lambda n: batch_norm(square(n), None, None, training=True),
    "batch_norm, evaluation": lambda n: batch_norm(square(n), square(n)[0], square(n)[0].square()),
    "tril": lambda n: square(n).tril(),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [ft.float32, ft.float16, ft.int64])
@pytest.mark.parametrize("name", [*CALLS])
def test_another_shape_stays_on_the_fast_path(name, dtype, monkeypatch):
    """The result equals that of the slow path, which is not entered."""
    call = CALLS[name]
    monkeypatch.setitem(globals(), "square", partial(square, dtype=dtype))
    expected = {}
    for n in (3, 8, 5, 23):
        for op in operators.values():
            for table in (op.table, op.inplace_table, op.slow_table):
                table.clear()
        try:
            expected[n] = call(n)
        except Exception as error:
            expected[n] = error
    if isinstance(expected[3], Exception):
        pytest.skip(str(expected[3]))
    call(2), call(2)
    for n, wanted in expected.items():
        result = call(n)
        assert result.tolist() == wanted.tolist()
        assert (result.dtype, result.stride()) == (wanted.dtype, wanted.stride())
    if dtype is ft.float32:
        assert slow_calls(lambda: call(31)) == []


# By call: the function that plans it for other lengths, and what is called.
PLANNED = {
    "copy_": ("writing._plan_of_other_layouts", lambda n: ft.zeros(n, 4).copy_(ft.ones(n, 1))),
    "copy_ to columns": ("writing._plan_of_other_layouts", lambda n: ft.zeros(n, 4)[:, ::2].copy_(ft.ones(n, 2))),
    "x[...] = a tensor": ("writing._plan_of_other_layouts", lambda n: setitem(ft.zeros(n, 4), (..., 1), ft.ones(n))),
    "x[...] = a number": ("filling.make_fill_plan", lambda n: setitem(ft.zeros(n, 4), (..., slice(1, 3)), 2.5)),
    "fill_": ("filling.make_fill_plan", lambda n: ft.zeros(n, 4)[:, ::2].fill_(2.5)),
    "eye": ("filling.make_fill_plan", lambda n: ft.eye(n, 30, dtype=ft.float64)),
    "conv2d of one pixel": ("pointwise.views_of", lambda n: conv2d(ft.ones(1, 2, n, 9), ft.ones(3, 2, 1, 1))),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANNED)
def test_a_call_is_planned_once(name):
    """Another length makes one plan, and the second call with it makes none."""
    planner, call = PLANNED[name]
    planners, seen = {planner for planner, _ in PLANNED.values()}, []

    def note(frame):
        function = f"{frame.f_globals['__name__'].rsplit('.')[-1]}.{frame.f_code.co_name}"
        if function in planners:
            seen.append(function)

    for n in (12, 13, 14, 15, 16):
        call(n)
    for n in (23, 23):
        with watched(note):
            call(n)
        assert seen == [planner]


@pytest.mark.parametrize("n", [4, 11])
def test_gradients_through_another_shape(n):
    def gradients(values):
        x, row, column = (array.clone().requires_grad_() for array in (values, values[0], values[:, :1]))
        (((x * row - column) @ x.t()).softmax(-1) * row).sum().backward()
        return [leaf.grad.tolist() for leaf in (x, row, column)]

    small, other = square(3), square(n)
    wanted = gradients(other)
    for op in operators.values():
        for table in (op.table, op.inplace_table, op.slow_table):
            table.clear()
    gradients(small), gradients(small)
    assert gradients(other) == wanted
    larger = [square(n + more) for more in (20, 21, 22)]  # full tables may be cleared between two calls
    assert [] in [slow_calls(lambda values=values: gradients(values)) for values in larger]


def test_another_shape_that_does_not_fit_is_an_error():
    for n in (2, 3):
        CALLS["x + row"](n), CALLS["x @ y"](n), CALLS["linear"](n), CALLS["columns += row"](n)
    with raises(ValueError, "add", "shapes (5, 5) and (4,) do not broadcast"):
        square(5) + square(4)[0]
    with raises(ValueError, "matmul", "expected input.shape"):
        square(5) @ square(4)
    with raises(ValueError, "linear", "expected bias of shape"):
        linear(square(5), square(5), square(4)[0])
    with raises(ValueError, "add_", "only the other operand may be broadcast"):
        square(5)[:1].add_(square(5))
    with raises(RuntimeError, "add_", "share one place in memory"):
        square(5)[:1].expand(5, 5).add_(square(5)[0])
    with raises(RuntimeError, "add_", "share part of their memory"):
        x = square(5)
        x[:, 1:].add_(x[:, :-1])


def test_division_by_a_zero_in_another_shape_is_an_error():
    for n in (3, 6):
        x = square(n).long() + 3
        x // x[0]
    x[0, 4] = 0
    with pytest.raises(ZeroDivisionError):
        x[:5] // x[0]


def test_calls_that_differ_in_more_than_lengths_share_no_plan():
    x, row = ft.arange(600.0).view(100, 6), ft.arange(6.0)
    for part in (x[:50], x[:40, :3], x[:30, ::2], x.t()[:, :6], x[:20].flip(0) if hasattr(x, "flip") else x[:20]):
        other = row[: part.shape[1]]
        assert (part - other).tolist() == (part.numpy() - other.numpy()).tolist()
    with raises(ValueError, "sub", "do not broadcast"):
        x[:10] - row[:5]
    with raises(ValueError, "sub", "do not broadcast"):
        x[:10] - x[:9]


@pytest.mark.parametrize("dtypes", [(ft.float32, ft.float32), (ft.float32, ft.float64), (ft.float16, ft.float32)])
def test_zero_dimensional_operands_do_not_share_plans(dtypes):
    """A zero-dimensional tensor does not promote the others; a tensor of the same dtype with dimensions does."""
    narrow, wide = dtypes
    number = ft.tensor(2.0, dtype=wide)
    for calls in (
        lambda x, y: (x * number, x * y),
        lambda x, y: (x / number, x / y),
        lambda x, y: (ft.where(x > 3, x, number), ft.where(x > 3, x, y)),
        lambda x, y: (x.clamp(number, x), x.clamp(y, x)),
    ):
        for length in (3, 4, 5, 6):
            x = ft.arange(length, dtype=narrow)
            single, array = calls(x, number.expand(length).contiguous())
            assert (single.dtype, array.dtype) == dtypes
            assert single.tolist() == array.tolist()


def test_listeners_are_called_once_per_launch():
    x, row = ft.ones(100, 7), ft.ones(7)
    heard = []
    with listen(lambda plan, arguments: heard.append((plan.operator, plan.out.shape))):
        for length in (9, 8, 9, 7):
            x[:length] * row
    assert heard == [("mul", (length, 7)) for length in (9, 8, 9, 7)]
    x[:6] * row
    assert len(heard) == 4


def test_tables_stay_bounded():
    table = operators["maximum"].table
    for width in range(1, table.LIMIT + 200):
        ft.maximum(ft.ones(3, width), ft.ones(width))
    assert len(table.by_kind) <= table.LIMIT
    assert len(table.by_key) <= table.LIMIT
