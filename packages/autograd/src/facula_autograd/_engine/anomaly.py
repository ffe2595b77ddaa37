"""`detect_anomaly`: find the operator that produced the first non-finite gradient or result.

Note [Results checked]
With `check_forward`, operators pass their computation to a `ForwardWatch` (`Mode.compute`), which checks each result.
Operators that change their operands in place bypass it: their result is checked when the next operator reads it. During
a backward pass, the check of gradients replaces that of results, because it knows the forward line.
"""

from __future__ import annotations

import sys

from facula_errors import FaculaError
from facula_errors.extend import in_library, trim_traceback

from .._adapters import Adapter, adapters
from .._errors import AnomalyError
from .._graph.node import describe_call_site, next_seq
from .._graph.scopes import Scopes, want_scopes
from .._modes.context_managers import Lasting, checked_bool, replace_mode
from .._modes.mode_state import current_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from .._graph.node import Node, Pairs, Rule
    from .._types import AnyValue

    Checks = tuple[bool, bool]

ENGINE = "facula_autograd._engine.engine"  # the module whose frames mark backward passes


class detect_anomaly(replace_mode):
    """Context manager and decorator: backward passes check every gradient, and name the source of the first bad one.

    The error names operator, forward line and module. Operators keep their speed; a backward pass checks each gradient
    once. Like every mode, it applies to this thread and task only.

    Arguments:
        check_nan: check for NaN.
        check_inf: check for infinities.
        check_forward: also check the results of operators as they are computed; this is several times slower.

    >>> from facula_autograd import Variable
    >>> x = Variable(0.0, requires_grad=True)
    >>> try:
    ...     with detect_anomaly(check_inf=True):
    ...         (x * float("inf")).backward()
    ... except AnomalyError as error:
    ...     print(error.operator)
    mul
    """

    __slots__ = ()

    def __init__(self, check_nan: bool = True, check_inf: bool = False, check_forward: bool = False) -> None:
        try:
            super().__init__(**_changes("detect_anomaly", True, check_nan, check_inf, check_forward))
        except FaculaError as error:
            trim_traceback(error)
            raise


class set_detect_anomaly(Lasting):
    """Same as `detect_anomaly`, switched on or off permanently when called, or for a block with `with`.

    Arguments:
        mode: on or off.
        check_nan: check for NaN.
        check_inf: check for infinities.
        check_forward: also check the results of operators as they are computed; this is several times slower.
    """

    __slots__ = ()

    def __init__(
        self, mode: bool, check_nan: bool = True, check_inf: bool = False, check_forward: bool = False
    ) -> None:
        try:
            changes = _changes("set_detect_anomaly", mode, check_nan, check_inf, check_forward)
            if isinstance(current_mode().compute, ForwardWatch):
                changes.setdefault("compute", None)
            super().__init__(**changes)
        except FaculaError as error:
            trim_traceback(error)
            raise


def _changes(operation: str, mode: bool, *checks: bool) -> dict[str, object]:
    """Return the fields of the mode for either class; raise TypeError if a flag is not a bool.

    Arguments:
        operation: the prefix of error messages.
        mode: on or off.
        checks: whether to check for NaN, for infinities, and whether to check results.
    """
    nan, inf, forward = (checked_bool(operation, check) for check in checks)
    if not checked_bool(operation, mode):
        return {"anomaly": None, "scopes": False}
    want_scopes()
    changes: dict[str, object] = {"anomaly": (nan, inf), "scopes": True}
    if forward:
        changes["compute"] = ForwardWatch((nan, inf))
    return changes


class ForwardWatch:
    """The check of operators' results: see Note [Results checked].

    Arguments:
        checks: whether to check for NaN, and for infinities.
    """

    def __init__(self, checks: Checks) -> None:
        self.checks = checks

    def __call__(
        self, name: str, kernel: Callable[[], Sequence[AnyValue]], operands: Sequence[AnyValue], parameters: object
    ) -> Sequence[AnyValue]:
        """Return the results of `kernel` if they are finite; otherwise raise AnomalyError."""
        results = kernel()
        with replace_mode(compute=None, grad=False):
            bad = self.first_bad(results)
            if bad is not None:
                self.refuse(name, bad if len(results) > 1 else None, self.first_bad(operands), operands)
        return results

    def first_bad(self, values: Sequence[AnyValue]) -> int | None:
        """Return the index of the first value that is not finite."""
        for k, value in enumerate(values):
            adapter = adapters[type(value)]
            if type(adapter) is Adapter or not adapter.differentiable(
                value
            ):  # without its own adapter, such as a number
                continue
            if not adapter.all_finite([value], *self.checks) and not adapter.is_finite(value, *self.checks):
                return k
        return None

    def refuse(self, name: str, k: int | None, operand: int | None, operands: Sequence[AnyValue]) -> None:
        """Raise an error for a result of an operator, unless a backward pass computes it.

        Arguments:
            name: the operator.
            k: the index of the result; None for a single result.
            operand: the index of the first operand that is not finite either.
            operands: all operands.
        """
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and in_library(frame):
            if frame.f_globals.get("__name__") == ENGINE:
                return
            frame = frame.f_back
        where = "an unknown line" if frame is None else describe_call_site(frame.f_code, frame.f_lasti)
        module = Scopes().path(next_seq())
        origin = ""
        if operand is not None:
            change = adapters[type(operands[operand])].describe_mutation(operands[operand])
            origin = f". Operand {operand} has one already{f', last changed by {change}' if change else ''}"
        which = "the result" if k is None else f"result {k}"
        raise AnomalyError(
            f"detect_anomaly: expected results without {_names_of(self.checks)}; {which} of {name} has one. The "
            f"operator was called at {where}{f', in {module}' if module else ''}{origin}",
            operator=name, forward=where, module=module or None,
        )  # fmt: skip


def _names_of(checks: Checks) -> str:
    nan, inf = checks
    return " or ".join(["NaN"] * nan + ["infinity"] * inf)


class AnomalyWatch:
    """The check of rules' results in a backward pass.

    Arguments:
        checks: whether to check for NaN, and for infinities.
    """

    def __init__(self, checks: Checks) -> None:
        self.checks = checks

    def __call__(self, node: Node, rule: Rule, pairs: Pairs) -> Pairs:
        """Return `pairs` if their gradients are finite; otherwise raise AnomalyError."""
        nan, inf = self.checks
        if not pairs:
            return pairs
        gradients = [h for _, h in pairs]
        if adapters[type(gradients[0])].all_finite(gradients, nan, inf):
            return pairs
        for k, h in enumerate(gradients):
            if not adapters[type(h)].is_finite(h, nan, inf):
                self.refuse(k, node, rule)
        return pairs

    def refuse(self, k: int, node: Node, rule: Rule) -> None:
        """Raise an error for gradient `k` of `node`, whose rule was `rule` when it ran."""
        module = Scopes().path(node.seq)
        raise AnomalyError(
            f"detect_anomaly: expected gradients without {_names_of(self.checks)}; gradient {k} from the backward of "
            f"{rule.name} has one. The operator was called at {node.where}{f', in {module}' if module else ''}",
            operator=rule.name, forward=node.where, module=module or None,
        )  # fmt: skip
