"""Other names of arguments: NumPy's, which PyTorch's operators take, too.

Note [Other names]
~~~~~~~~~~~~~~~~~~
`torch.diff(x, axis=0)` is `torch.diff(x, dim=0)`, and so it is with every operator of PyTorch's. A call with a name
that the function does not have fails before the function begins. Only then is the name looked up here, and the call
repeated with the usual name. So other calls do not pay, and functions need no parameters for both.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

OTHER_NAMES = {
    "axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other",
}  # fmt: skip
PACKAGE = "facula_tensor"  # whose functions are operators


def renamed(function: Callable[..., object], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments of a call that failed, by the names that an operator has; None where there are no others.

    Arguments:
        function: what was called.
        kwargs: its arguments by name.
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
