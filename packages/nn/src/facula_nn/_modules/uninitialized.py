"""Parameters and buffers whose shape is not known yet: those of lazy modules before their first call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError, OperationError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty
from facula_tensor.extend import plain_torch_function, snapshot

from .members import Buffer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn, Self, SupportsIndex

    from facula_tensor.extend import DeviceLike, DTypeLike

    from .._types import Args, Kwargs

# Functions that need no elements: casts and moves, and questions about dtype and device.
ALLOWED = frozenset({"to", "to_device", "cpu", "cuda", "half", "float", "double", "bfloat16", "detach",
                     "is_floating_point", "is_complex", "empty_like"})  # fmt: skip
REMEDY = "call the lazy module once, on a batch, or materialize(shape)"


class _Unshaped:
    """Refusal of all that needs a shape, and `materialize`, which gives one."""

    _becomes: type[Tensor]

    @property
    def shape(self) -> NoReturn:
        raise OperationError(f"shape: {_kind(type(self))} has no shape yet; {REMEDY}")

    def materialize(
        self, shape: Sequence[int], device: DeviceLike | None = None, dtype: DTypeLike | None = None
    ) -> None:
        """Become an ordinary tensor of this shape, the same object, with whatever elements are there.

        Arguments:
            shape: the lengths.
            device: where, if not where it is.
            dtype: of another dtype than it has.
        """
        own: Any = self
        made = empty(tuple(shape), device=own.device if device is None else device, dtype=dtype or own.dtype)
        own.data = made
        own.__class__ = self._becomes
        own._layout = snapshot(own)._layout  # as operators see it: its class overrides nothing any more

    def detach(self) -> Self:
        """This one, which has no history."""
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        own: Any = self
        memo[id(self)] = new = _like(own, own.device, own.dtype)
        return new  # type: ignore[no-any-return]

    def __reduce_ex__(self, protocol: SupportsIndex) -> Args:
        own: Any = self
        persistent = (own.persistent,) if isinstance(own, Buffer) else ()
        return type(self), (own.requires_grad, str(own.device), own.dtype, *persistent)


def _like(own: Any, device: DeviceLike, dtype: DTypeLike) -> Any:
    """Another one of the same kind.

    Arguments:
        own: the parameter or buffer.
        device: where the other lies.
        dtype: its dtype.
    """
    persistent = (own.persistent,) if isinstance(own, Buffer) else ()
    return type(own)(own.requires_grad, device, dtype, *persistent)


@boundary
class UninitializedParameter(_Unshaped, Parameter):  # type: ignore[misc]  # a shape that raises
    """A parameter whose shape is not known yet; see `LazyLinear`.

    It can be cast, moved and given to optimizers, and `materialize(shape)` makes it a Parameter; all else is a
    ValueError, and asking for its shape a RuntimeError.

    Arguments:
        requires_grad: whether it requires a gradient.
        device: where it will lie; the default device if None.
        dtype: the dtype that it will have; the default dtype if None.

    >>> parameter = UninitializedParameter()
    >>> parameter.materialize((2, 3))
    >>> type(parameter).__name__, parameter.shape
    ('Parameter', facula.Size([2, 3]))
    """

    _becomes = Parameter

    if TYPE_CHECKING:

        def __init__(
            self, requires_grad: bool = True, device: DeviceLike | None = None, dtype: DTypeLike | None = None
        ) -> None: ...

    @boundary
    def __new__(
        cls, requires_grad: bool = True, device: DeviceLike | None = None, dtype: DTypeLike | None = None
    ) -> Self:
        return empty(0, device=device, dtype=dtype).as_subclass(cls).requires_grad_(requires_grad)  # type: ignore[no-any-return]


@boundary
class UninitializedBuffer(_Unshaped, Buffer):  # type: ignore[misc]  # a shape that raises
    """A buffer whose shape is not known yet; see `LazyBatchNorm1d`. `materialize(shape)` makes it a Buffer.

    Arguments:
        requires_grad: whether it requires a gradient.
        device: where it will lie; the default device if None.
        dtype: the dtype that it will have; the default dtype if None.
        persistent: whether the buffer is part of `state_dict()`.

    >>> buffer = UninitializedBuffer()
    >>> buffer.materialize((3,))
    >>> type(buffer).__name__, buffer.shape
    ('Buffer', facula.Size([3]))
    """

    _becomes = Buffer

    if TYPE_CHECKING:

        def __init__(
            self,
            requires_grad: bool = False,
            device: DeviceLike | None = None,
            dtype: DTypeLike | None = None,
            persistent: bool = True,
        ) -> None: ...

    @boundary
    def __new__(
        cls,
        requires_grad: bool = False,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
        persistent: bool = True,
    ) -> Self:
        made: Self = empty(0, device=device, dtype=dtype).as_subclass(cls).requires_grad_(requires_grad)
        made.persistent = persistent
        return made


def _refuse(
    cls: type,
    func: Callable[..., object],
    types: tuple[type, ...],
    args: Args = (),
    kwargs: Kwargs | None = None,
) -> object:
    """Let through what needs no elements; ValueError for all else."""
    name = getattr(func, "__name__", str(func))
    if name in ALLOWED:
        made = plain_torch_function(cls, func, types, args, kwargs)
        return _like(args[0], made.device, made.dtype) if isinstance(made, Tensor) else made
    raise InvalidValueError(f"{name}: {_kind(cls)} has no shape yet; {REMEDY}")


def _refusal(name: str) -> Callable[..., NoReturn]:
    def refuse(self: Tensor, *args: object, **kwargs: object) -> NoReturn:
        raise InvalidValueError(f"{name}: {_kind(type(self))} has no shape yet; {REMEDY}")

    return refuse


# What changes elements in place, or counts them, asks no class.
for _name in vars(Tensor):
    if (_name.endswith("_") and not _name.startswith("_")) or _name in ("numel", "numpy", "size", "tolist"):
        if _name not in ("requires_grad_", "detach_"):
            setattr(_Unshaped, _name, _refusal(_name))

# Given afterwards: a class that is made with a function of its own has every call of every program look for overrides.
_classes: list[Any] = [UninitializedBuffer, UninitializedParameter]
for _class in _classes:
    _class.__torch_function__ = classmethod(_refuse)


def is_lazy(value: object) -> bool:
    """Whether this is a parameter or buffer whose shape is not known yet."""
    return isinstance(value, _Unshaped)


def _kind(cls: type) -> str:
    return "an uninitialized parameter" if issubclass(cls, Parameter) else "an uninitialized buffer"
