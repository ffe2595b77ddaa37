"""Every operator's samples, captured, saved and loaded: the same bits, with gradients inside and outside.

Each runs in float32: other dtypes are other loops of the same kernels. Every fourth case, and cases without
float32, run with complex numbers, for which launches have two floats. Calls with other shapes precede each capture,
so that fast paths make its plans.
"""

import contextlib
import io
import warnings

import pytest

import facula
from facula_tensor.testing._operands import call, tensors_of_case

LEAST = {"float32": 910, "complex64": 130}  # number of cases that can be captured; fewer indicate a regression


def tensors_in(result):
    return [result] if isinstance(result, facula.Tensor) else [one for part in result for one in tensors_in(part)]


def gradients(results, given, retain_graph=False):
    roots = [one for one in results if one.requires_grad]
    if not roots:
        return []
    ones = [facula.full_like(one, 0.5) for one in roots]
    found = facula.autograd.grad(roots, given, ones, retain_graph, allow_unused=True)
    return [facula.zeros(0) if one is None else one for one in found]


def function_of(case, only):
    """Return a function of a case's results, with gradients that it computes itself, of all operands or one."""

    def function(*given):
        given = [one if only in (None, place) else one.detach() for place, one in enumerate(given)]
        results = tensors_in(call(case, list(given)))
        return results, gradients(results, [one for one in given if one.requires_grad], retain_graph=True)

    return function


def run_with_other_shapes(function, case, dtype):
    for dim in (0, -1):
        given = tensors_of_case(case, dtype)
        with contextlib.suppress(ValueError, TypeError, NotImplementedError, RuntimeError, IndexError):
            longer = [facula.cat([one, one], dim) if one.dim() else one for one in given]
            function(*[one.requires_grad_(one.is_floating_point() or one.is_complex()) for one in longer])


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
        for only in (None, 0) if len(tensors_of_case(case, dtype)) > 1 else (None,):
            function = function_of(case, only)
            run_with_other_shapes(function, case, dtype)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    captured = facula.capture(function)
                    for _ in range(2):  # captured, and replayed after the plain call
                        wanted = ran(captured, case, dtype)
                if not captured._latest_by_signature():  # shapes that depend on data, or reads of elements
                    continue
                file = io.BytesIO()
                facula.jit.save(captured, file)
                file.seek(0)
                if ran(facula.jit.load(file), case, dtype) != wanted:
                    wrong[str(case), only] = "other bits"
            except facula.jit.SaveError as error:
                wrong[str(case), only] = str(error)
            except NotImplementedError:  # no derivative
                continue
            done += 1
    assert not wrong, wrong
    assert done > LEAST[dtype], done
