"""`gradcheck`: derivatives against finite differences, for any type whose adapter gives elements.

A complex element counts as two real ones. So the convention (dL/dRe + i dL/dIm for a real L) is
checked as it stands, and real and complex need no separate code.
"""

from __future__ import annotations

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from ._adapters import adapter_of
from ._backward import grad
from ._errors import GradcheckError
from ._gradcheck_parts import along, directions, far, parts_of, transposed, width, with_parts
from ._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeGuard, TypeVar

    from ._gradcheck_parts import Matrix
    from ._types import AnyValue, Leaf

    T = TypeVar("T")


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
    """Whether backward through `func(*inputs)` gives what central differences give.

    Outputs are differentiated one by one. Inputs must stay unchanged.

    Arguments:
        func: returns a value or a sequence; results that do not require grad are left out.
        inputs: a value or a sequence; those that require grad are checked. Use double precision.
        eps: the step of the differences.
        atol: the absolute difference allowed.
        rtol: the relative difference allowed, added to `atol`.
        raise_exception: raise an error rather than return False.
        nondet_tol: the difference allowed between two backward passes.
        check_undefined_grad: no difference: outputs are differentiated one by one in any case.
        check_grad_dtypes: no difference: gradients must be of their input's dtype in any case.
        check_batched_grad: check that `grad(..., is_grads_batched=True)` gives what the passes one by one do, too.
        check_batched_forward_grad: check that forward mode gives the same for many directions at once, too.
        check_forward_ad: check forward mode, too.
        check_backward_ad: check the backward pass.
        fast_mode: check along one direction, instead of every element.

    Returns:
        True, or False for a wrong gradient without `raise_exception`.

    Raises:
        GradcheckError: a gradient is wrong.

    >>> from facula_autograd import Variable
    >>> gradcheck(lambda x: x * x * x, Variable(1.5, requires_grad=True))
    True
    """

    def wanted(*values: object) -> list[object]:
        return _at(which, _listed(func(*values)))

    forward = check_forward_ad or check_batched_forward_grad
    which = [_wants(out) for out in _listed(func(*_listed(inputs)))] if forward else []
    checks = _Checks(check_backward_ad, check_batched_grad, wanted if forward else None)
    checks.ways = {"forward mode": check_forward_ad, "a batch of forward mode": check_batched_forward_grad}
    return _passes(checks, raise_exception, func, _listed(inputs), eps, atol, rtol, nondet_tol, fast_mode)


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
    """As `gradcheck`, for the second derivatives: of the gradients with respect to inputs and `grad_outputs`.

    Arguments:
        func, inputs: as for `gradcheck`.
        grad_outputs: values like the results of `func`, requiring grad; by default arbitrary ones.
        eps, atol, rtol, raise_exception, nondet_tol, fast_mode: as for `gradcheck`.
        check_undefined_grad, check_grad_dtypes: no difference, as for `gradcheck`.
        check_batched_grad: as for `gradcheck`, of the second backward pass.
        check_fwd_over_rev: check the forward mode of the backward pass, too.
        check_rev_over_rev: check the second backward pass.

    Returns:
        True, or False for a wrong gradient without `raise_exception`.

    Raises:
        GradcheckError: a gradient is wrong.

    >>> from facula_autograd import Variable
    >>> gradgradcheck(lambda x: x * x * x, Variable(1.5, requires_grad=True))
    True
    """
    values = _listed(inputs)
    count = len(values)
    if grad_outputs is None:
        outputs = _outputs(func, values)
        grad_outputs = [_arbitrary(out, k) for k, out in enumerate(outputs)]
    seeds = _listed(grad_outputs)

    def gradients(*everything: Leaf) -> tuple[object, ...]:
        points, seeds = everything[:count], everything[count:]
        wanted = [v for v in points if _wants(v)]
        found = grad(_outputs(func, points), wanted, seeds, create_graph=True, allow_unused=True)
        used[:] = [_wants(g) for g in found]
        return tuple(g for g in found if g is not None)

    def pulled(*everything: Leaf) -> tuple[object, ...]:
        """The same by `vjp`, for forward mode."""
        points, seeds = list(everything[:count]), everything[count:]
        places = [k for k, v in enumerate(values) if _wants(v)]

        def inner(*wanted: Leaf) -> tuple[object, ...]:
            for k, v in zip(places, wanted, strict=True):
                points[k] = v
            return tuple(_at(which, _listed(func(*points))))

        _, pull_back = adapter_of(points[places[0]]).functions().vjp(inner, *[points[k] for k in places])
        return tuple(g for g, one in zip(pull_back(tuple(seeds)), used, strict=True) if one)

    used: list[bool] = []
    which = [_wants(out) for out in _listed(func(*values))]
    checks = _Checks(check_rev_over_rev, check_batched_grad, pulled if check_fwd_over_rev else None)
    return _passes(checks, raise_exception, gradients, [*values, *seeds], eps, atol, rtol, nondet_tol, fast_mode)


class _Checks:
    """What is compared with differences: the backward pass, many at once, and the forward mode of a function."""

    __slots__ = ("backward", "batched", "forward", "ways")

    def __init__(self, backward: bool, batched: bool, forward: Callable[..., object] | None) -> None:
        self.backward, self.batched, self.forward = backward, batched, forward
        self.ways = {"forward mode": True}


def _passes(checks: _Checks, raises: bool, *arguments: AnyValue) -> bool:
    """Whether `_check` finds nothing; its error if `raises`."""
    if not (checks.backward or checks.batched or checks.forward):
        return True
    try:
        _check(checks, *arguments)
    except GradcheckError:
        if raises:
            raise
        return False
    return True


def _listed(values: object) -> list[object]:
    return list(values) if isinstance(values, (tuple, list)) else [values]


def _wants(value: object) -> TypeGuard[Leaf]:
    return isinstance(value, Value) and value.node is not None


def _outputs(func: Callable[..., object], inputs: Sequence[object]) -> list[Leaf]:
    return [out for out in _listed(func(*inputs)) if _wants(out)]


def _at(which: Sequence[bool], values: Sequence[T]) -> list[T]:
    """Those of some values which are wanted."""
    return [value for value, wanted in zip(values, which, strict=True) if wanted]


def _check(
    checks: _Checks,
    func: Callable[..., object],
    inputs: list[object],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
    fast: bool,
) -> None:
    wanted = [k for k, value in enumerate(inputs) if _wants(value)]
    if not wanted:
        raise InvalidValueError("gradcheck: expected at least one input that requires grad; got none")
    before = [parts_of(inputs[k]) for k in wanted]
    outputs = _outputs(func, inputs)
    if not outputs:
        raise GradcheckError("gradcheck: expected a result that requires grad; the function returned none that does")
    for k, parts in zip(wanted, before, strict=True):
        if parts_of(inputs[k]) != parts:
            raise GradcheckError(
                f"gradcheck: expected the function to leave its inputs alone; input {k} was changed in place"
            )
    steps = [directions(len(parts), fast) for parts in before]
    pushed = {
        way: [_pushed(checks.forward, inputs, k, moves, "batch" in way) for k, moves in zip(wanted, steps, strict=True)]
        for way, asked in checks.ways.items()
        if asked and checks.forward
    }
    values: list[Leaf] = [inputs[k] for k in wanted]  # type: ignore[misc]  # they are `_wants`
    for j, out in enumerate(outputs):
        seeds = directions(len(parts_of(out)), fast)
        by_way: dict[str, list[Matrix]] = {}
        if checks.backward:
            by_way["backward"] = rows = _analytical(out, values, j, seeds)
            for k, one, again in zip(wanted, rows, _analytical(out, values, j, seeds), strict=True):
                if far(one, again, nondet_tol, 0.0) is not None:
                    raise GradcheckError(
                        f"gradcheck: expected each backward pass to give the same; that of output {j} "
                        f"with respect to input {k} differs (nondet_tol={nondet_tol})"
                    )
        if checks.batched:
            by_way["a batch of backward passes"] = _batched(out, values, j, seeds)
        for way in by_way:
            by_way[way] = [
                [along(row, moves, fast) for row in jacobian]
                for jacobian, moves in zip(by_way[way], steps, strict=True)
            ]
        for way, found in pushed.items():
            by_way[way] = [
                transposed([along(parts_of(tangents[j]), seeds, fast) for tangents in columns], len(seeds))
                for columns in found
            ]
        for position, k in enumerate(wanted):
            expected = _numerical(func, inputs, k, j, eps, steps[position], seeds, fast)
            for way, jacobians in by_way.items():
                worst = far(jacobians[position], expected, atol, rtol)
                if worst is not None:
                    row, column, ours, by_steps = worst
                    which = "along a direction" if fast else f"component {row} of the output by {column} of the input"
                    shown, value = adapter_of(out).describe(out), adapter_of(inputs[k]).describe(inputs[k])
                    raise GradcheckError(
                        f"gradcheck: the gradient of output {j} ({shown}) with respect to input {k} ({value}) is "
                        f"wrong: {which}, it is {ours:.9g} by {way}, {by_steps:.9g} numerically "
                        f"(eps={eps}, atol={atol}, rtol={rtol})"
                    )


def _pushed(
    function: Callable[..., object], inputs: list[object], k: int, steps: Matrix, batched: bool
) -> list[list[object]]:
    """For each step of input `k` the tangents of all outputs, by forward mode; `batched`: of all steps at once."""
    value = inputs[k]
    adapter = adapter_of(value)
    jvp = adapter.functions().jvp

    def moved(x: object) -> tuple[object, ...]:
        return tuple(_listed(function(*[x if one is value else one for one in inputs])))

    def pushed(tangent: Sequence[object], retain: bool | None = None) -> list[object]:
        return list(jvp(moved, (value,), tuple(tangent))[1])

    tangents: list[object] = [with_parts(value, step, False) for step in steps]
    if not batched or not tangents:
        return [pushed([one]) for one in tangents]
    columns = adapter.map_rows(pushed, [adapter.stack(tangents)], None)
    return [list(row) for row in zip(*[adapter_of(one).unstack(one) for one in columns], strict=True)]


def _batched(out: Leaf, inputs: Sequence[Leaf], j: int, seeds: Matrix) -> list[Matrix]:
    """As `_analytical`, by one call of `grad` with all seeds."""
    if not seeds:
        return [[] for _ in inputs]
    stacked: AnyValue = adapter_of(out).stack([with_parts(out, parts, False) for parts in seeds])
    found = grad(out, inputs, stacked, retain_graph=True, allow_unused=True, is_grads_batched=True)
    return [
        [[0.0] * len(parts_of(value))] * len(seeds)
        if g is None
        else [_fitting(row, value, j) for row in adapter_of(g).unstack(g)]
        for value, g in zip(inputs, found, strict=True)
    ]


def _arbitrary(like: object, k: int) -> Leaf:
    # Any numbers will do that are neither equal nor simple; the same each time.
    parts = [0.5 + ((i + 1) * 0.6180339887 + k * 0.271828) % 1.0 for i in range(len(parts_of(like)))]
    return with_parts(like, parts, True)


def _analytical(out: Leaf, inputs: Sequence[Leaf], j: int, seeds: list[list[float]]) -> list[list[list[float]]]:
    """For each input the gradients of `out` along `seeds`, by backward passes."""
    jacobians: list[list[list[float]]] = [[] for _ in inputs]
    for parts in seeds:
        seed = with_parts(out, parts, False)
        for jacobian, value, g in zip(
            jacobians, inputs, grad(out, inputs, seed, retain_graph=True, allow_unused=True), strict=True
        ):
            jacobian.append([0.0] * len(parts_of(value)) if g is None else _fitting(g, value, j))
    return jacobians


def _fitting(g: object, value: object, j: int) -> list[float]:
    wanted, got = adapter_of(value).metadata(value), adapter_of(g).metadata(g)
    if wanted != got:
        raise GradcheckError(
            f"gradcheck: expected a gradient of output {j} like its input "
            f"({adapter_of(value).describe(value)}); got {adapter_of(g).describe(g)}"
        )
    parts = parts_of(g)
    if width(value) == 2 and width(g) == 1:
        parts = [x for part in parts for x in (part, 0.0)]
    return parts


def _numerical(
    func: Callable[..., object],
    inputs: list[object],
    k: int,
    j: int,
    eps: float,
    steps: list[list[float]],
    seeds: list[list[float]],
    fast: bool,
) -> list[list[float]]:
    """The same by central differences: of output `j` along `seeds`, by input `k` along `steps`."""
    point = parts_of(inputs[k])
    columns = []
    for step in steps:
        ends = []
        for length in (eps, -eps):
            moved = with_parts(inputs[k], [x + length * d for x, d in zip(point, step, strict=True)], True)
            results = _outputs(func, [moved if value is inputs[k] else value for value in inputs])
            ends.append(parts_of(results[j]))
        columns.append(along([(high - low) / (2 * eps) for high, low in zip(*ends, strict=True)], seeds, fast))
    return transposed(columns, len(seeds))
