"""Forward mode with dual tensors: call `make_dual` in a `dual_level`, compute, and call `unpack_dual`."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple
from weakref import ref

from facula_autograd import is_grad_enabled
from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import Exit, boundary, owner_of, published

from ._core.tensor import Tensor
from ._core.wrapped import levels_around, surround
from ._dispatch.view_call import as_tensor
from .transforms.dual import DualLevel, fitted
from .transforms.levels import is_at

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

__dir__ = published(__name__)


class _EnteredLevel(DualLevel):
    """A level that a program enters. `ended`: false while it is open."""

    __slots__ = ("ended", "owner")
    ended: object
    owner: ref[object] | None

    def __init__(self) -> None:
        super().__init__(taped=True)
        self.owner = None

    @property  # type: ignore[override]  # which an interrupt may change: see Note [Ctrl-C in a mode] in facula_autograd
    def open(self) -> bool:
        """Return whether the level is still open."""
        return not self.ended

    @open.setter
    def open(self, value: bool) -> None:
        self.ended = not value


def _levels() -> list[_EnteredLevel]:
    """The open levels of this thread and task, innermost last."""
    return [level for level in levels_around() if isinstance(level, _EnteredLevel)]


class UnpackedDualTensor(NamedTuple):
    """A primal and its tangent, as returned by `unpack_dual`. The tangent is None if there is none.

    >>> from facula_tensor import tensor
    >>> UnpackedDualTensor(tensor(1.0), None).tangent is None
    True
    """

    primal: Tensor
    tangent: Tensor | None


@boundary
def enter_dual_level() -> int:
    """Enter a level of forward mode, in this thread and task. Returns its number, counted from 0.

    `dual_level` is preferred; this function is for programs that cannot use a block.

    >>> number = enter_dual_level()
    >>> exit_dual_level(level=number)
    """
    number = len(_levels())
    surround(_EnteredLevel())
    return number


@boundary
def exit_dual_level(*, level: int | None = None) -> None:
    """Leave the innermost level; its dual tensors then act as their primals.

    RuntimeError where `level` is not the innermost one's number, or none is entered.
    """
    levels = _levels()
    if not levels or (level is not None and level != len(levels) - 1):
        inside = f"level {len(levels) - 1} is the innermost" if levels else "no level is entered"
        raise OperationError(f"exit_dual_level: expected the innermost level to be left first; got {level}; {inside}")
    levels[-1].open = False


class dual_level:
    """Context manager for a level of forward mode, in which `make_dual` attaches tangents to tensors. Levels
    nest; each has separate tangents.

    >>> from facula_tensor import tensor
    >>> with dual_level():
    ...     x = make_dual(tensor(3.0), tensor(1.0))
    ...     unpack_dual(x * x).tangent
    tensor(6.)
    """

    __slots__ = ("_entered",)

    def __enter__(self) -> int:
        number, level = len(_levels()), _EnteredLevel()
        self._entered = level
        try:
            owner = owner_of(self)
            if owner is not None:
                level.owner = ref(owner, partial(setattr, level, "ended"))
            surround(level)
            return number
        except BaseException:
            level.open = False
            raise

    def _leave(self, *exc: object) -> None:
        levels = _levels()
        self._entered.open = False
        for inner in levels[levels.index(self._entered) :] if self._entered in levels else ():
            inner.open = False

    __exit__ = Exit(_leave)


def _level(operation: str, level: int | None) -> DualLevel | None:
    """Return the level of this number, counted from 0, or the innermost one."""
    levels = _levels()
    if level is None:
        return levels[-1] if levels else None
    if type(level) is not int:
        raise InvalidTypeError(f"{operation}: expected level to be an int or None; got {level!r:.60}")
    if not 0 <= level < len(levels):
        raise OperationError(f"{operation}: expected the number of an entered level, of {len(levels)}; got {level}")
    return levels[level]


@boundary
def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Return a dual tensor that shares the memory of `tensor` and has a tangent.

    Arguments:
        tensor: the primal: floating or complex.
        tangent: its tangent: of the same shape and device, converted to the same dtype. In-place changes of the
        dual tensor do not change it.
        level: the number of the level, counted from 0; the innermost level if None.

    Raises:
        RuntimeError: outside `dual_level`.
        ValueError: for a tangent that does not match.

    >>> from facula_tensor import tensor
    >>> with dual_level():
    ...     unpack_dual(make_dual(tensor(2.0), tensor(1.0)).exp())
    UnpackedDualTensor(primal=tensor(7.3891), tangent=tensor(7.3891))
    """
    where = _level("make_dual", level)
    if where is None:
        raise OperationError(
            "make_dual: expected to be called in a level of forward mode; enter one: with dual_level()"
        )
    tangent = fitted("make_dual", as_tensor("make_dual", tensor), as_tensor("make_dual", tangent))
    dual = where.make(where.value(tensor), tangent)
    if is_grad_enabled():
        dual.node = where.node_of(tensor)
    return dual


@boundary
def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the primal and the tangent of a dual tensor; for other tensors, the tensor itself and None.

    Arguments:
        tensor: any tensor.
        level: the number of the level; the innermost level if None.

    >>> from facula_tensor import tensor
    >>> unpack_dual(tensor(2.0))
    UnpackedDualTensor(primal=tensor(2.), tangent=None)
    """
    where = _level("unpack_dual", level)
    as_tensor("unpack_dual", tensor)
    if where is None or not is_at(where, tensor):
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(where.value(tensor), where.tangent(tensor))
