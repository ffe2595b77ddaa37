"""Operators on lists equal calls on each tensor, for every form of operands; failed calls change nothing."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor import Tensor, foreach

SHAPES = ((3,), (2, 2), ())
VALUES = {"add": (2.5, 3), "pow": (2.0, 3)}


def tensors(seed, dtype=ft.float64):
    random = np.random.default_rng(seed)
    return [ft.from_numpy(np.asarray(0.1 + 0.8 * random.random(shape))).to(dtype) for shape in SHAPES]


def one_by_one(base, row, **options):
    if base in ("maximum", "minimum"):
        other = row[1] if isinstance(row[1], Tensor) else ft.tensor(row[1], dtype=row[0].dtype)
        return getattr(ft, base)(row[0], other)
    if base in ("clamp_min", "clamp_max"):
        return row[0].clamp(**{base[6:]: row[1]})
    if base in ("addcdiv", "addcmul"):
        return getattr(ft, base)(*row[:3], value=row[3])
    return {
        "norm": lambda x, ord=2: (x.abs() ** ord).sum() ** (1 / ord),
        "powsum": lambda x, ord=2: (x.abs() ** ord).sum(),
        "copy": lambda x, source: source,
        "zero": lambda x: x * 0,
    }.get(base, getattr(ft, base, None))(*row, **options)


def calls(base):
    """Return the further operands as passed and as they apply to each tensor, and options."""
    form = foreach.FORMS[base]
    lists = [tensors(place + 1) for place in range(form.lists)]
    if base == "mm":
        return [([[ft.ones(3, 2, dtype=ft.float64)]], [[ft.ones(3, 2, dtype=ft.float64)]], {})]
    if form.last is False:
        return [(lists, lists, {}), *([(lists, lists, {"ord": 3})] if "ord" in form.options else [])]
    lasts = [(0.5, [0.5] * 3), (2, [2] * 3), ([0.5, 1.5, 2.5], [0.5, 1.5, 2.5])]
    if form.last is True:
        lasts.append((tensors(9), tensors(9)))
    if base in ("add", "mul", "div"):
        lasts.append((ft.tensor(2.0, dtype=ft.float64), [2.0] * 3))
    if form.lists == 2:
        lasts.append((ft.tensor([0.5, 1.5, 2.5]), [0.5, 1.5, 2.5]))
    made = [([*lists, last], [*lists, second], {}) for last, second in lasts]
    if "alpha" in form.options:
        made.append(([tensors(9)], [tensors(9)], {"alpha": 0.5}))
    return made


@pytest.mark.parametrize("name", foreach.names())
def test_each_equals_the_operator(name):
    base = name.removeprefix("_foreach_").removesuffix("_")
    for given, columns, options in calls(base):
        own = [ft.ones(2, 3, dtype=ft.float64)] if base == "mm" else tensors(0)
        before = [tensor.clone() for tensor in own]
        wanted = [one_by_one(base, row, **options) for row in zip(before, *columns, strict=True)]
        made = getattr(foreach, name)(own, *given, **options)
        assert made is own if name.endswith("_") else type(made) is tuple
        for got, expected in zip(made, wanted, strict=True):
            np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-12)
        if not name.endswith("_"):
            assert all(tensor.equal(former) for tensor, former in zip(own, before, strict=True))


def test_operands_have_names_and_gradients():
    x = [tensor.requires_grad_() for tensor in tensors(0)]
    made = foreach._foreach_addcmul(x, tensor1=tensors(1), tensor2=tensors(2), value=0.5)
    sum(result.sum() for result in made).backward()
    assert all(leaf.grad.eq(1).all() for leaf in x)
    assert foreach._foreach_lerp(tensors(0), tensors(1), weight=0.25)[0].equal(tensors(0)[0].lerp(tensors(1)[0], 0.25))
    assert foreach._foreach_pow(2.0, exponent=tensors(0))[1].equal(2.0 ** tensors(0)[1])
    nan = foreach._foreach_maximum([ft.tensor([float("nan"), 1.0])], 2.0)[0]
    assert nan[0].isnan() and nan[1] == 2


@pytest.mark.parametrize(
    ("name", "operands", "error", "text"),
    [
        ("_foreach_add_", ([], 1), ValueError, "at least one tensor"),
        ("_foreach_abs", (3,), TypeError, "self to be a list of tensors; got int"),
        ("_foreach_add_", (tensors(0), [1.0]), ValueError, "got 3 tensors and 1 operands"),
        ("_foreach_mul_", (tensors(0), tensors(1)[:2]), ValueError, "got 3 tensors and 2"),
        ("_foreach_add_", (tensors(0), [*tensors(1)[:2], ft.ones(4)]), ValueError, "got (4,) for (), in place 2"),
        ("_foreach_add_", (tensors(0), ft.ones(3)), ValueError, "without dimensions; got shape (3,)"),
        ("_foreach_add_", (tensors(0),), TypeError, "expected 1 operands after the first; got 0"),
        ("_foreach_add_", (tensors(0), 1, 2, 3), TypeError, "got another argument, 3"),
        ("_foreach_lerp_", (tensors(0), [1.0] * 3, 0.5), TypeError, "an operand to be a list of tensors"),
    ],
)
def test_errors_change_nothing(name, operands, error, text):
    before = [operand.clone() for operand in operands[0]] if isinstance(operands[0], list) else []
    with raises(error, name, text):
        getattr(foreach, name)(*operands)
    assert all(operand.equal(former) for operand, former in zip(operands[0] if before else [], before, strict=True))


def test_the_family_is_complete():
    assert len(foreach.names()) == 91 and "_foreach_zero_" in foreach.names() and "_foreach_zero" not in foreach.names()
    with pytest.raises(AttributeError, match="_foreach_nothing"):
        foreach._foreach_nothing
