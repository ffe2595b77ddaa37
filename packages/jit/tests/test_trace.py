"""`trace` and `freeze`: PyTorch's names for captures that can be saved."""

import warnings

import pytest
from jit_toys import same

from facula_errors.testing import raises
from facula_jit import CaptureError, SaveError, Traced, TracerWarning, freeze, load, save, trace
from facula_tensor import ones, rand, randn, tensor, zeros

WEIGHT = randn(3, 2)


def test_a_trace_is_called_and_saved_as_the_function(tmp_path):
    traced = trace(lambda x: (x @ WEIGHT).tanh(), randn(4, 3))
    x = randn(4, 3)
    assert isinstance(traced, Traced) and same(traced(x), (x @ WEIGHT).tanh())
    assert "matmul(x0, WEIGHT)" not in traced.code and "matmul(x0, c0)" in traced.code
    traced.save(tmp_path / "traced.facula")
    assert same(load(tmp_path / "traced.facula", map_location="cpu")(x), traced(x))
    with raises(RuntimeError, "load", "map_location='cuda'"):
        load(tmp_path / "traced.facula", map_location="cuda")
    both = trace(lambda x, y: x + y, [ones(2), ones(2)], check_inputs=[(zeros(2), ones(2))])
    assert both(ones(2), zeros(2)).tolist() == [1, 1]


def test_decisions_by_elements_cause_warnings():
    def absolute(x):
        if x.sum() > 0:
            return x + 1
        return -x

    with pytest.warns(TracerWarning, match="reads elements in Python") as caught:
        traced = trace(absolute, ones(2))
    assert len(caught) == 1 and caught[0].filename == __file__
    assert traced(ones(2) * -3).tolist() == [-2, -2]


def test_different_results_cause_warnings():
    count = zeros(())
    with pytest.warns(TracerWarning, match="result 0 of the traced function differs"):
        trace(lambda x: x + count.add_(1), ones(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trace(lambda x: x + count.add_(1), ones(2), check_trace=False)
        trace(lambda x: x * rand(2), ones(2))  # both draw the same numbers
        trace(lambda x: x / 0 - x / 0, ones(2))  # NaN is NaN


def test_untraceable_functions():
    kept = []
    with raises(CaptureError, "capture", "kept outside"):
        trace(lambda x: kept.append(x + 1), ones(2))
    with raises(TypeError, "trace", "expected a function or a module", value="int"):
        trace(3, ones(2))


def test_frozen_graphs_have_constants_and_any_size(tmp_path):
    weight = randn(3, 2).requires_grad_()
    frozen = freeze(trace(lambda x: x @ weight, randn(4, 3)))
    x = randn(7, 3)
    wanted = (x @ weight).detach()
    weight.detach().zero_()
    assert same(frozen(x), wanted) and list(frozen.parameters()) == [] and not frozen.state_dict()
    save(frozen, tmp_path / "frozen.facula")
    assert same(load(tmp_path / "frozen.facula")(x), wanted)
    fixed = freeze(trace(lambda x: x.reshape(2, -1) * x.shape[0] ** 2, randn(4, 3)))
    assert fixed(ones(4, 3)).shape == (2, 6)
    with raises(ValueError, "...<lambda>", "expected (float32 (4, 3))"):
        fixed(ones(6, 3))


def test_invalid_arguments_of_freeze():
    class Module:
        training = True

        def __call__(self, x):
            return x + 1

    with raises(RuntimeError, "freeze", "evaluation mode"):
        freeze(trace(Module(), ones(2)))
    with raises(TypeError, "freeze", "expected a result of trace"):
        freeze(Module())
    with raises(SaveError, "save", "an argument is an object"):
        freeze(trace(lambda x, y: x + 1, (tensor(1.0), object())))
