"""`detect_anomaly`: which operator gave the first gradient that is not finite."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ._adapters import adapters
from ._errors import AnomalyError
from ._modes import Lasting, flag, replace_mode
from ._scopes import Scopes, want_scopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._graph import Node, Pairs, Rule

    Checks = tuple[bool, bool]


class detect_anomaly(replace_mode):
    """Context manager and decorator: backward passes check every gradient, and name what gave the first bad one.

    The error says operator, forward line and module. Operators stay as quick as ever; a backward pass looks at all
    gradients once. As every mode it holds in this thread and task, and not in others.

    Arguments:
        check_nan: look for NaN.
        check_inf: look for infinities.

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

    def __init__(self, check_nan: bool = True, check_inf: bool = False) -> None:
        try:
            checks = (flag("detect_anomaly", check_nan), flag("detect_anomaly", check_inf))
            want_scopes()
            super().__init__(anomaly=checks, scopes=True)
        except FaculaError as error:
            trim_traceback(error)
            raise


class set_detect_anomaly(Lasting):
    """As `detect_anomaly`, switched on or off lastingly when called, or for a block with `with`.

    Arguments:
        mode: on or off.
        check_nan: look for NaN.
        check_inf: look for infinities.
    """

    __slots__ = ()

    def __init__(self, mode: bool, check_nan: bool = True, check_inf: bool = False) -> None:
        try:
            checks = (flag("set_detect_anomaly", check_nan), flag("set_detect_anomaly", check_inf))
            if flag("set_detect_anomaly", mode):
                want_scopes()
            super().__init__(anomaly=checks if mode else None, scopes=mode)
        except FaculaError as error:
            trim_traceback(error)
            raise


class AnomalyWatch:
    """What looks at the result of each rule in a backward pass.

    Arguments:
        checks: whether to look for NaN, and for infinities.
    """

    def __init__(self, checks: Checks) -> None:
        self.checks = checks

    def __call__(self, node: Node, rule: Rule, pairs: Pairs) -> Pairs:
        """`pairs`, if their gradients are finite."""
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
        """Raise for gradient `k` of `node`, whose rule was `rule` when it ran."""
        nan, inf = self.checks
        what = " or ".join(["NaN"] * nan + ["infinity"] * inf)
        module = Scopes().path(node.seq)
        raise AnomalyError(
            f"detect_anomaly: expected gradients without {what}; gradient {k} from the backward of {rule.name} "
            f"has one. The operator was called at {node.where}{f', in {module}' if module else ''}",
            operator=rule.name, forward=node.where, module=module or None,
        )  # fmt: skip
