"""Checks of derivatives: first and second order, through in-place operators, and in every dtype.

Derivatives are compared with central differences. Small contiguous operands are checked element by element, all others
along a single direction with no zero components. A directional check costs the same for first and second derivatives,
and detects an error in any element, so the tolerances are tight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_autograd import grad, gradcheck, gradgradcheck

from .._core.tensor import Tensor
from ._comparing import TOLERANCE, expect, expect_close
from ._operands import call, draw, lay, layouts_of, make, operands, tensors_of_case, values_of
from ._samples import COMPLEX, FLOATS, Case
from ._writing import change

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LAYOUTS = ("contiguous", "transposed", "sliced", "zero_dim")
FEW = 12  # the maximum total number of elements to check one by one
STEPPED = ("floor_divide", "remainder", "fmod", "maximum", "minimum")  # no derivative where both operands are equal


def check_first_derivatives(case: Case) -> None:
    """Check first derivatives on contiguous, transposed, sliced, zero-dim and broadcast operands."""
    for dtype in case.gradient:
        _check_derivatives(case, dtype, gradcheck)


def check_second_derivatives(case: Case) -> None:
    """Check second derivatives on the same operands: those of the gradient by operands and by its own gradient."""
    for dtype in case.gradient:
        _check_derivatives(case, dtype, gradgradcheck)


def smooth(case: Case) -> Case:
    """Return the case with its domain restricted to where it is differentiable."""
    return case if case.gradient_domain is None else replace(case, domain=case.gradient_domain)


def _check_derivatives(case: Case, dtype: str, check: Callable[..., bool]) -> None:
    inner = smooth(case)
    for layout in [known for known in layouts_of(case) if known in LAYOUTS]:
        tensors = [lay(array, dtype, layout).requires_grad_() for array in operands(inner, dtype, layout, seed=3)]
        few = check is gradcheck and layout == "contiguous" and sum(operand.numel() for operand in tensors) <= FEW
        _compare_slopes(case, check, tensors, each=few)
    if case.elementwise and case.arity == 2:
        rng = np.random.default_rng(4)
        for shapes in (((2, 1), (3,)), ((), (2, 2))):
            tensors = [make(draw(rng, shape, dtype, inner), dtype).requires_grad_() for shape in shapes]
            _compare_slopes(case, check, tensors)
        if case.numbers:
            x, y = (draw(rng, (3,), dtype, inner) for _ in range(2))
            number = y[0].item()
            _compare_slopes(case, check, [make(x, dtype).requires_grad_()], lambda a: call(case, [a, number]))


def _compare_slopes(
    case: Case,
    check: Callable[..., bool],
    tensors: list[Tensor],
    function: Callable[..., Any] | None = None,
    *,
    each: bool = False,
) -> None:
    compare_slopes(function or (lambda *given: call(case, given)), tensors, check, each=each, loose=case.loose)


def compare_slopes(
    function: Callable[..., Any],
    tensors: Sequence[Tensor],
    check: Callable[..., bool] = gradcheck,
    *,
    each: bool = False,
    loose: float = 1.0,
) -> None:
    """Compare derivatives with central differences.

    Arguments:
        function: the function to differentiate.
        tensors: its operands.
        check: `gradcheck`, or `gradgradcheck` for second derivatives.
        each: whether to perturb elements one by one; otherwise all elements move along one direction.
        loose: a factor that multiplies the tolerance.
    """
    check(function, tensors, atol=1e-6, rtol=1e-5 * loose, fast_mode=not each)


def check_slopes(function: Callable[..., Any], tensors: Sequence[Tensor], loose: float = 10.0) -> None:
    """Check first and second derivatives of a function without a `Case`."""
    few = sum(tensor.numel() for tensor in tensors if isinstance(tensor, Tensor)) <= FEW
    compare_slopes(function, tensors, each=few, loose=loose)
    compare_slopes(function, tensors, gradgradcheck, loose=loose)


def check_derivatives_inplace(case: Case) -> None:
    """Check derivatives of the in-place form: on a tensor used before, on a view, and with itself as an operand."""

    def changed(x: Tensor, *others: Tensor) -> Any:
        target = x * 1
        before = target + 1
        return change(case, target, *others) * before

    def changed_in_part(x: Tensor, *others: Tensor) -> Any:
        whole = x * 1
        change(case, whole.t()[1:3], *[other.t()[1:3] for other in others])
        return whole * x

    def changed_by_itself(x: Tensor) -> Any:
        target = x * 1
        return change(case, target, *[target] * (case.arity - 1))

    for dtype in case.gradient:
        tensors = tensors_of_case(smooth(case), dtype, seed=5, requires_grad=True)
        for check in (gradcheck, gradgradcheck) if case.second else (gradcheck,):
            _compare_slopes(case, check, tensors, changed)
            if not case.elementwise:
                continue
            _compare_slopes(case, check, tensors, changed_in_part)
            if case.name not in STEPPED:
                _compare_slopes(case, check, tensors[:1], changed_by_itself)


def check_gradients_in_every_dtype(case: Case) -> None:
    """Check that gradients in narrower dtypes have the operands' dtypes and match those in the widest dtype."""
    for dtype in (*FLOATS[:3], COMPLEX[0]):
        wide = COMPLEX[1] if dtype in COMPLEX else FLOATS[3]
        if dtype in case.dtypes and wide in case.gradient:
            check_gradients_of(case, dtype, wide, "contiguous")
    if case.arity > 1 and FLOATS[3] in case.gradient:
        check_gradients_alone(case, FLOATS[3])


def check_gradients_alone(case: Case, dtype: str) -> None:
    """Check that the gradient of an operand does not change if no other operand requires one."""
    arrays = operands(smooth(case), dtype, "contiguous")
    tensors = [lay(array, dtype, "contiguous") for array in arrays]
    together = case_gradients(case, [tensor.detach().requires_grad_() for tensor in tensors])
    for place, wanted in enumerate(together):
        given = [tensor.detach() for tensor in tensors]
        given[place].requires_grad_()
        if wanted is None or not any([result.requires_grad for result in results_of_case(case, given)]):
            continue
        (got,) = case_gradients(case, given, (place,))
        what = f"{case}: the gradient of operand {place} alone"
        expect(got is not None, f"{what} is missing")
        assert got is not None
        expect_close(values_of(got), values_of(wanted), TOLERANCE[dtype] * case.loose, what)


def check_gradients_of(case: Case, dtype: str, wide: str, layout: str) -> None:
    """Compare the gradients of one call in `dtype` with those in the wider dtype `wide`."""
    arrays = operands(smooth(case), dtype, layout)
    narrow, exact = ([lay(array, kind, layout).requires_grad_() for array in arrays] for kind in (dtype, wide))
    for operand, got, wanted in zip(narrow, case_gradients(case, narrow), case_gradients(case, exact), strict=True):
        if got is None or wanted is None:
            expect(got is wanted, f"{case}: a gradient of {dtype} is missing, or there where {wide} has none")
            continue
        what = f"{case}: the gradient in {dtype}, {layout}"
        expect(got.dtype is operand.dtype, f"{what}: dtype {got.dtype}; expected {operand.dtype}")
        expect(got.shape == operand.shape, f"{what}: shape {got.shape}; expected {operand.shape}")
        expected = values_of(wanted)
        tolerance = TOLERANCE[dtype] * min(case.loose, 3 if dtype in FLOATS[:2] else case.loose)
        scale = max(1.0, float(np.abs(expected).max(initial=0)))
        expect_close(values_of(got) / scale, expected / scale, tolerance, what)


def case_gradients(
    case: Case, tensors: Sequence[Tensor], places: Sequence[int] | None = None
) -> tuple[Tensor | None, ...]:
    """Return the gradients of one call of the case, for cotangents with unequal elements.

    Arguments:
        case: the case.
        tensors: the operands.
        places: the positions of the operands to differentiate by; all if None.
    """
    wanted = [result for result in results_of_case(case, tensors) if result.requires_grad]
    inputs = tensors if places is None else [tensors[place] for place in places]
    found: tuple[Tensor | None, ...] = grad(wanted, inputs, [seed_like(result) for result in wanted], allow_unused=True)
    return found


def results_of_case(case: Case, tensors: Sequence[Tensor]) -> list[Tensor]:
    """Call the function of the case and return the tensors among its results."""
    results = call(case, tensors)
    return [result for result in ([results] if isinstance(results, Tensor) else results) if isinstance(result, Tensor)]


def seed_like(tensor: Tensor) -> Tensor:
    """Return a cotangent for a result, with elements that alternate between 0.5 and 1."""
    values = 0.5 + 0.5 * (np.arange(tensor.numel()) % 2).reshape(tuple(tensor.shape))
    return make(values, tensor.dtype.name)
