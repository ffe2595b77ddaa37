"""`gradcheck`: derivatives against finite differences, for any type whose adapter gives elements.

A complex element counts as two real ones. So the convention (dL/dRe + i dL/dIm for a real L) is
checked as it stands, and real and complex need no separate code.
"""

from __future__ import annotations

from ._adapters import adapter_of
from ._calls import grad
from ._errors import GradcheckError
from ._values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def gradcheck(
    fn: Callable[..., Any],
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
) -> bool:
    """Whether backward through `fn(*inputs)` gives what central differences give.

    `inputs`: a value or a sequence; those that require grad are checked, in double precision if the
    result is to mean anything. `fn` returns a value or a sequence; results that do not require grad
    are left out. Also checked: that inputs are not changed, that gradients fit their inputs, and
    that a second backward pass agrees within `nondet_tol`. Raises GradcheckError, or returns False
    without `raise_exception`.

    >>> from facula_autograd import Variable
    >>> gradcheck(lambda x: x * x * x, Variable(1.5, requires_grad=True))
    True
    """
    try:
        _check(fn, _listed(inputs), eps, atol, rtol, nondet_tol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    fn: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
) -> bool:
    """As `gradcheck`, for the second derivatives: of the gradients with respect to inputs and `grad_outputs`.

    `grad_outputs`: values like the results of `fn`, requiring grad; by default arbitrary ones.

    >>> from facula_autograd import Variable
    >>> gradgradcheck(lambda x: x * x * x, Variable(1.5, requires_grad=True))
    True
    """
    values = _listed(inputs)
    count = len(values)
    if grad_outputs is None:
        outputs = _outputs(fn, values)
        grad_outputs = [_arbitrary(out, k) for k, out in enumerate(outputs)]
    seeds = _listed(grad_outputs)

    def gradients(*everything: Any) -> tuple:
        points, seeds = everything[:count], everything[count:]
        wanted = [v for v in points if _wants(v)]
        found = grad(_outputs(fn, points), wanted, seeds, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(gradients, [*values, *seeds], eps, atol, rtol, raise_exception, nondet_tol)


def _listed(values: Any) -> list:
    return list(values) if isinstance(values, (tuple, list)) else [values]


def _wants(value: Any) -> bool:
    return isinstance(value, Value) and value.node is not None


def _outputs(fn: Callable[..., Any], inputs: Sequence[Any]) -> list:
    return [out for out in _listed(fn(*inputs)) if _wants(out)]


def _check(fn: Callable[..., Any], inputs: list, eps: float, atol: float, rtol: float, nondet_tol: float) -> None:
    wanted = [k for k, value in enumerate(inputs) if _wants(value)]
    if not wanted:
        raise ValueError("gradcheck: expected at least one input that requires grad; got none")
    before = [_parts(inputs[k]) for k in wanted]
    outputs = _outputs(fn, inputs)
    if not outputs:
        raise GradcheckError("gradcheck: expected a result that requires grad; fn returned none that does")
    for k, parts in zip(wanted, before, strict=True):
        if _parts(inputs[k]) != parts:
            raise GradcheckError(f"gradcheck: expected fn to leave its inputs alone; input {k} was changed in place")
    for j, out in enumerate(outputs):
        analytical = _analytical(out, [inputs[k] for k in wanted], j)
        again = _analytical(out, [inputs[k] for k in wanted], j)
        for position, k in enumerate(wanted):
            if _far(analytical[position], again[position], nondet_tol, 0.0) is not None:
                raise GradcheckError(f"gradcheck: expected each backward pass to give the same; that of output {j} "
                                     f"with respect to input {k} differs (nondet_tol={nondet_tol})")  # fmt: skip
            numerical = _numerical(fn, inputs, k, j, eps)
            worst = _far(analytical[position], numerical, atol, rtol)
            if worst is not None:
                row, column, ours, theirs = worst
                raise GradcheckError(
                    f"gradcheck: the gradient of output {j} with respect to input {k} is wrong: component {row} of the "
                    f"output by component {column} of the input is {ours:.9g} by backward, {theirs:.9g} numerically "
                    f"(atol={atol}, rtol={rtol})"
                )


def _parts(value: Any) -> list[float]:
    """The elements as real numbers: a complex one gives two."""
    parts: list[float] = []
    for x in adapter_of(value).elements(value):
        parts.extend((x.real, x.imag) if isinstance(x, complex) else (x,))
    return parts


def _with_parts(like: Any, parts: list[float], requires_grad: bool) -> Any:
    adapter = adapter_of(like)
    elements: list = parts
    if _width(like) == 2:
        elements = [complex(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    value = adapter.from_elements(like, elements)
    return value.requires_grad_() if requires_grad else value


def _width(value: Any) -> int:
    elements = adapter_of(value).elements(value)
    return 2 if elements and isinstance(elements[0], complex) else 1


def _arbitrary(like: Any, k: int) -> Any:
    # Any numbers will do that are neither equal nor simple; the same each time.
    parts = [0.5 + ((i + 1) * 0.6180339887 + k * 0.271828) % 1.0 for i in range(len(_parts(like)))]
    return _with_parts(like, parts, True)


def _analytical(out: Any, inputs: list, j: int) -> list[list[list[float]]]:
    """For each input the real Jacobian, one row per real component of `out`, by backward passes."""
    jacobians: list[list[list[float]]] = [[] for _ in inputs]
    size = len(_parts(out))
    for row in range(size):
        seed = _with_parts(out, [1.0 if i == row else 0.0 for i in range(size)], False)
        for jacobian, value, g in zip(
            jacobians, inputs, grad(out, inputs, seed, retain_graph=True, allow_unused=True), strict=True
        ):
            jacobian.append([0.0] * len(_parts(value)) if g is None else _fitting(g, value, j))
    return jacobians


def _fitting(g: Any, value: Any, j: int) -> list[float]:
    wanted, got = adapter_of(value).metadata(value), adapter_of(g).metadata(g)
    if wanted != got:
        raise GradcheckError(f"gradcheck: expected a gradient of output {j} like its input "
                             f"({adapter_of(value).describe(value)}); got {adapter_of(g).describe(g)}")  # fmt: skip
    parts = _parts(g)
    if _width(value) == 2 and _width(g) == 1:
        parts = [x for part in parts for x in (part, 0.0)]
    return parts


def _numerical(fn: Callable[..., Any], inputs: list, k: int, j: int, eps: float) -> list[list[float]]:
    """The real Jacobian of output `j` by input `k`, by central differences."""
    point = _parts(inputs[k])
    columns = []
    for i in range(len(point)):
        ends = []
        for step in (eps, -eps):
            moved = [*point[:i], point[i] + step, *point[i + 1 :]]
            ends.append(_parts(_outputs(fn, [*inputs[:k], _with_parts(inputs[k], moved, True), *inputs[k + 1 :]])[j]))
        columns.append([(high - low) / (2 * eps) for high, low in zip(*ends, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


def _far(ours: list, theirs: list, atol: float, rtol: float) -> tuple[int, int, float, float] | None:
    """The first entry where two Jacobians differ too much, or where one is not a number."""
    for row, (xs, ys) in enumerate(zip(ours, theirs, strict=True)):
        for column, (x, y) in enumerate(zip(xs, ys, strict=True)):
            if not abs(x - y) <= atol + rtol * abs(y):
                return row, column, x, y
    return None
