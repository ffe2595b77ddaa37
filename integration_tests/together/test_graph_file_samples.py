"""Every operator's own samples, captured, saved and loaded: the same bits, with gradients inside and outside."""

import io
import warnings

import pytest

import facula
from facula_tensor.testing._operands import call, tensors_of

LEAST = {"float32": 650, "complex64": 350}  # cases that can be captured: more are better, fewer are a mistake


def tensors_in(result):
    return [result] if isinstance(result, facula.Tensor) else [one for part in result for one in tensors_in(part)]


def gradients(results, given):
    roots = [one for one in results if one.requires_grad]
    if not roots:
        return []
    ones = [facula.full_like(one, 0.5) for one in roots]
    found = facula.autograd.grad(roots, given, ones, allow_unused=True)
    return [facula.zeros(0) if one is None else one for one in found]


def function_of(case, inside):
    def function(*given):
        results = tensors_in(call(case, list(given)))
        return [one.detach().clone() for one in results], gradients(results, given) if inside else results

    return function


def bits(results):
    return [(one.dtype, one.shape, one.detach().contiguous().numpy().tobytes()) for one in results]


def ran(function, case, dtype):
    """What a call gives, and the gradients through it."""
    facula.manual_seed(0)
    given = tensors_of(case, dtype, requires_grad=True)
    results = tensors_in(function(*given))
    return bits(results) + bits(gradients(results, given))


@pytest.mark.parametrize(("dtype", "inside"), [("float32", True), ("float32", False), ("complex64", True)])
def test_samples(cases, dtype, inside):
    wrong, done = {}, 0
    for case in cases:
        if dtype not in case.dtypes or "contiguous" not in case.layouts:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                captured = facula.capture(function_of(case, inside))
                for _ in range(3):
                    wanted = ran(captured, case, dtype)
            if not captured._latest_of_kinds():  # shapes that depend on data, and looks at elements
                continue
            file = io.BytesIO()
            facula.jit.save(captured, file)
            file.seek(0)
            if ran(facula.jit.load(file), case, dtype) != wanted:
                wrong[str(case)] = "other bits"
        except facula.jit.SaveError as error:
            wrong[str(case)] = str(error)
        except NotImplementedError:  # no derivative
            continue
        done += 1
    assert not wrong, wrong
    assert done > LEAST[dtype], done
