"""Every operator's samples, captured, saved and loaded: the same bits, with gradients inside and outside.

Each runs once, in float32: other dtypes are other loops of the same kernels. Every fourth case, and cases without
float32, run with complex numbers, for which launches have two floats.
"""

import io
import warnings

import pytest

import facula
from facula_tensor.testing._operands import call, tensors_of_case

LEAST = {"float32": 670, "complex64": 90}  # number of cases that can be captured; fewer indicate a regression


def tensors_in(result):
    return [result] if isinstance(result, facula.Tensor) else [one for part in result for one in tensors_in(part)]


def gradients(results, given, retain_graph=False):
    roots = [one for one in results if one.requires_grad]
    if not roots:
        return []
    ones = [facula.full_like(one, 0.5) for one in roots]
    found = facula.autograd.grad(roots, given, ones, retain_graph, allow_unused=True)
    return [facula.zeros(0) if one is None else one for one in found]


def function_of(case):
    """Return a function of a case's results, with gradients that it computes itself."""

    def function(*given):
        results = tensors_in(call(case, list(given)))
        return results, gradients(results, given, retain_graph=True)

    return function


def bits(results):
    return [(one.dtype, one.shape, one.detach().contiguous().numpy().tobytes()) for one in results]


def ran(function, case, dtype):
    """Return the results of a call, and the gradients through it."""
    facula.manual_seed(0)
    given = tensors_of_case(case, dtype, requires_grad=True)
    results, inside = function(*given)
    return bits(results) + bits(inside) + bits(gradients(results, given))


@pytest.mark.parametrize("dtype", LEAST)
def test_samples(cases, dtype):
    wrong, done = {}, 0
    for number, case in enumerate(cases):
        if dtype not in case.dtypes or "contiguous" not in case.layouts:
            continue
        if dtype == "complex64" and "float32" in case.dtypes and number % 4:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                captured = facula.capture(function_of(case))
                for _ in range(2):  # captured, and replayed after the plain call
                    wanted = ran(captured, case, dtype)
            if not captured._latest_by_signature():  # shapes that depend on data, or reads of elements
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
