"""`gradcheck`: comparison of derivatives with finite differences, for any type whose adapter returns elements.

A complex element counts as two real ones. The convention (dL/dRe + i dL/dIm for a real L) is therefore checked
directly, and real and complex values need no separate code.
"""

from __future__ import annotations

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from .._adapters import adapter_of
from .._engine.backward import grad
from .._errors import GradcheckError
from .forward_and_batched import CheckedModes, check_batched_gradients, check_has_forward_mode, tangents_of
from .jacobians import analytical_jacobians, numerical_jacobian
from .real_parts import (
    as_list,
    components_along,
    directions_of,
    first_mismatch,
    needs_grad,
    outputs_of,
    parts_of,
    with_parts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._types import Leaf
    from .real_parts import Jacobians


@boundary
def gradcheck(
    func: Callable[..., object],
    inputs: object,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
) -> bool:
    """Check that the gradients of `func(*inputs)` agree with central differences.

    Outputs are differentiated one by one. The function must not change its inputs.

    Arguments:
        func: returns a value or a sequence; results that do not require grad are ignored.
        inputs: a value or a sequence; those that require grad are checked. Use double precision.
        eps: the step of the differences.
        atol: the absolute tolerance.
        rtol: the relative tolerance, added to `atol`.
        raise_exception: raise an error instead of returning False.
        nondet_tol: the tolerance between two backward passes.
        check_undefined_grad: accepted, without effect: outputs are always differentiated one by one.
        check_grad_dtypes: accepted, without effect: gradients must always have their input's dtype.
        check_batched_grad: also check that batched gradients equal those of a loop.
        check_batched_forward_grad: the same check for forward mode; requires `check_forward_ad`.
        check_forward_ad: check forward mode, for values that support it.
        check_backward_ad: check the backward pass.
        fast_mode: check along one direction, instead of every element.

    Returns:
        True, or False for a wrong gradient without `raise_exception`.

    Raises:
        GradcheckError: a gradient is wrong.
        NotImplementedError: `check_forward_ad` with values that do not support forward mode.

    >>> from facula_autograd import Variable
    >>> gradcheck(lambda x: x * x * x, Variable(1.5, requires_grad=True))
    True
    """
    if check_batched_forward_grad and not check_forward_ad:
        raise InvalidValueError(
            "gradcheck: expected check_forward_ad=True with check_batched_forward_grad=True; got False"
        )
    values = as_list(inputs)
    if check_forward_ad:
        check_has_forward_mode("gradcheck: check_forward_ad", values)
    ways = CheckedModes(check_backward_ad, check_batched_grad, check_forward_ad, check_batched_forward_grad)
    try:
        if check_backward_ad or check_forward_ad:
            _check(func, values, eps, atol, rtol, nondet_tol, fast_mode, ways)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


@boundary
def gradgradcheck(
    func: Callable[..., object],
    inputs: object,
    grad_outputs: object = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
) -> bool:
    """Check second derivatives as `gradcheck` does: those of the gradients with respect to inputs and `grad_outputs`.

    Arguments:
        func, inputs: as in `gradcheck`.
        grad_outputs: values like the results of `func`, which require grad; arbitrary ones by default.
        eps, atol, rtol, raise_exception, nondet_tol, fast_mode: as in `gradcheck`.
        check_undefined_grad, check_grad_dtypes: accepted, without effect, as in `gradcheck`.
        check_batched_grad: as in `gradcheck`.
        check_fwd_over_rev: check forward mode of the gradients, for values that support it.
        check_rev_over_rev: check the second backward pass.

    Returns:
        True, or False for a wrong gradient without `raise_exception`.

    Raises:
        GradcheckError: a gradient is wrong.

    >>> from facula_autograd import Variable
    >>> gradgradcheck(lambda x: x * x * x, Variable(1.5, requires_grad=True))
    True
    """
    values = as_list(inputs)
    if check_fwd_over_rev:
        check_has_forward_mode("gradgradcheck: check_fwd_over_rev", values)
    count = len(values)
    if grad_outputs is None:
        outputs = outputs_of(func, values)
        grad_outputs = [_arbitrary(out, k) for k, out in enumerate(outputs)]
    seeds = as_list(grad_outputs)

    def gradients(*everything: Leaf) -> tuple[object, ...]:
        points, seeds = everything[:count], everything[count:]
        wanted = [v for v in points if needs_grad(v)]
        found = grad(outputs_of(func, points), wanted, seeds, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        gradients, [*values, *seeds], eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        nondet_tol=nondet_tol, check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev, fast_mode=fast_mode,
    )  # fmt: skip


def _check(
    func: Callable[..., object],
    inputs: list[object],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
    fast: bool,
    ways: CheckedModes,
) -> None:
    wanted = [k for k, value in enumerate(inputs) if needs_grad(value)]
    if not wanted:
        raise InvalidValueError("gradcheck: expected at least one input that requires grad; got none")
    before = [parts_of(inputs[k]) for k in wanted]
    outputs = outputs_of(func, inputs)
    if not outputs:
        raise GradcheckError("gradcheck: expected a result that requires grad; the function returned none that does")
    for k, parts in zip(wanted, before, strict=True):
        if parts_of(inputs[k]) != parts:
            raise GradcheckError(
                f"gradcheck: expected the function not to change its inputs; input {k} was changed in place"
            )
    steps = [directions_of(len(parts), fast) for parts in before]
    values = [value for value in inputs if needs_grad(value)]
    pushed = [tangents_of(func, inputs, k, some, ways) for k, some in zip(wanted, steps, strict=True) if ways.forward]
    for j, out in enumerate(outputs):
        seeds = directions_of(len(parts_of(out)), fast)
        pulled = analytical_jacobians(out, values, j, seeds) if ways.backward else []
        if ways.backward:
            _check_repeats(pulled, analytical_jacobians(out, values, j, seeds), wanted, j, nondet_tol)
        if ways.batched and ways.backward:
            check_batched_gradients(out, values, j, seeds, pulled)
        for position, k in enumerate(wanted):
            ours = {}
            if ways.backward:
                ours["backward"] = [components_along(row, steps[position], fast) for row in pulled[position]]
            if ways.forward:
                columns = [components_along(step[j], seeds, fast) for step in pushed[position]]
                ours["forward mode"] = [[column[row] for column in columns] for row in range(len(seeds))]
            by_steps = numerical_jacobian(func, inputs, k, j, eps, steps[position], seeds, fast)
            for way, found in ours.items():
                worst = first_mismatch(found, by_steps, atol, rtol)
                if worst is not None:
                    row, column, x, y = worst
                    which = "along a direction" if fast else f"component {row} of the output by {column} of the input"
                    shown, value = adapter_of(out).describe(out), adapter_of(inputs[k]).describe(inputs[k])
                    raise GradcheckError(
                        f"gradcheck: the gradient of output {j} ({shown}) with respect to input {k} ({value}) is "
                        f"wrong: {which}; got {x:.9g} by {way}, {y:.9g} numerically (eps={eps}, atol={atol}, "
                        f"rtol={rtol})"
                    )


def _check_repeats(once: Jacobians, again: Jacobians, wanted: list[int], j: int, nondet_tol: float) -> None:
    """Raise an error if two backward passes differ."""
    for k, ours, theirs in zip(wanted, once, again, strict=True):
        if first_mismatch(ours, theirs, nondet_tol, 0.0) is not None:
            raise GradcheckError(
                f"gradcheck: expected repeated backward passes to return the same gradient; that of output {j} "
                "with respect to input "
                f"{k} differs (nondet_tol={nondet_tol})"
            )


def _arbitrary(like: object, k: int) -> Leaf:
    # Arbitrary numbers that are neither equal nor simple; the same in each call.
    parts = [0.5 + ((i + 1) * 0.6180339887 + k * 0.271828) % 1.0 for i in range(len(parts_of(like)))]
    return with_parts(like, parts, True)
