"""Alternative names of arguments: NumPy's names, which PyTorch's operators also accept.

Note [Other names]
~~~~~~~~~~~~~~~~~~
`torch.diff(x, axis=0)` is equivalent to `torch.diff(x, dim=0)`, and likewise for every operator of PyTorch. A call with
an unknown argument name fails before the function begins. Only then is the name looked up here, and the call repeated
with the standard name. Other calls therefore have no overhead, and functions need no parameters for both names.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

OTHER_NAMES = {
    "axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other",
}  # fmt: skip
PACKAGE = "facula_tensor"  # the package of the operators


def renamed(function: Callable[..., object], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of a failed call under an operator's own names, or None if there are no alternative names.

    Arguments:
        function: the called function.
        kwargs: its keyword arguments.
    """
    code = getattr(function, "__code__", None)
    if code is None or function.__module__.partition(".")[0] != PACKAGE:
        return None
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    new = {OTHER_NAMES[name] if _is_other(name, names, kwargs) else name: value for name, value in kwargs.items()}
    return None if new.keys() == kwargs.keys() else new


def _is_other(name: str, names: tuple[str, ...], kwargs: dict[str, Any]) -> bool:
    usual = OTHER_NAMES.get(name)
    return usual in names and name not in names and usual not in kwargs
