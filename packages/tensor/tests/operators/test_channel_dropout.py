"""Channel dropout: whole channels are dropped and the others scaled; alpha dropout keeps mean and variance; errors."""

import pytest
from elements import check_slopes

import facula_tensor as ft
import facula_tensor.functional as F
from facula_errors.testing import raises

CHANNELS = [(F.dropout1d, (40, 30, 4)), (F.dropout2d, (40, 30, 2, 2)), (F.dropout3d, (40, 30, 2, 1, 2))]


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64, ft.bfloat16, ft.float16])
@pytest.mark.parametrize(("function", "shape"), CHANNELS)
def test_whole_channels(function, shape, dtype):
    ft.manual_seed(0)
    out = function(ft.ones(shape, dtype=dtype), 0.25)
    assert out.dtype is dtype
    rows = out.double().reshape(1200, -1)
    assert (rows == rows[:, :1]).all()
    kept = rows[:, 0] != 0
    assert 0.70 < kept.double().mean().item() < 0.80
    assert abs(rows.amax().item() - 4 / 3) < 0.01


@pytest.mark.parametrize("function", [F.dropout1d, F.dropout3d])
def test_without_a_batch(function):
    ft.manual_seed(0)
    shape = (500, 3) if function is F.dropout1d else (500, 3, 1, 1)
    rows = function(ft.ones(shape), 0.5).reshape(500, 3)
    assert (rows == rows[:, :1]).all()
    assert 0.3 < (rows[:, 0] == 0).double().mean().item() < 0.7


def test_alpha_dropout_keeps_mean_and_variance():
    ft.manual_seed(0)
    x = ft.randn(200, 500)
    y = F.alpha_dropout(x, 0.3, training=True)
    assert abs(y.mean().item()) < 0.02
    assert abs((y * y).mean().item() - 1) < 0.03
    z = F.feature_alpha_dropout(x.reshape(200, 100, 5), 0.3, training=True)
    dropped = (z == z[:, :, :1]).all(2)
    assert 0.25 < dropped.double().mean().item() < 0.35


@pytest.mark.parametrize("name", ["dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"])
def test_variants_of_each_function(name):
    function = getattr(F, name)
    shape = {"dropout2d": (2, 3, 2, 2), "dropout3d": (2, 3, 1, 2, 2)}.get(name, (2, 3, 2))
    x = ft.randn(shape, dtype=ft.float64)
    assert function(x, 0.5, False) is x
    assert function(x, 0.0, True) is x
    assert (function(x, 1.0, True) == 0).all()
    assert function(x.t() if x.ndim < 3 else x.transpose(0, 1), 0.5, True).shape == x.transpose(0, 1).shape
    changed = x.clone()
    assert function(changed, 0.5, True, True) is changed
    assert not (changed == x).all()
    for wrong in (-0.1, 1.5, float("nan")):
        with raises(ValueError, name, "expected a probability"):
            function(x, wrong, True)
    with raises(TypeError, name, "defined for floating dtypes"):
        function(x.long(), 0.5, True)

    def fixed(x):
        ft.manual_seed(3)
        return function(x, 0.5, True)

    x.requires_grad_()
    check_slopes(fixed, (x,))


def test_other_numbers_of_dimensions():
    for function in (F.dropout1d, F.dropout2d, F.dropout3d, F.feature_alpha_dropout):
        with raises(ValueError, function.__name__, "shape"):
            function(ft.ones(3), 0.5, True)
    assert F.feature_alpha_dropout(ft.ones(3)).shape == (3,)  # not in training
    with pytest.warns(UserWarning, match="dropout2d"):
        F.dropout2d(ft.ones(2, 3, 4))
