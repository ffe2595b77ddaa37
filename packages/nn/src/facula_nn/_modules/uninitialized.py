"""Parameters and buffers whose shape is still unknown: the members of lazy modules before their first call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError, OperationError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty
from facula_tensor.extend.overriding import plain_torch_function
from facula_tensor.extend.tensors import snapshot

from .members import Buffer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn, Self, SupportsIndex

    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

    from .._types import Args, Kwargs

# Functions that need no elements: casts, moves, and queries of dtype and device.
ALLOWED = frozenset({"to", "to_device", "cpu", "cuda", "half", "float", "double", "bfloat16", "detach",
                     "is_floating_point", "is_complex", "empty_like"})  # fmt: skip
REMEDY = "call the lazy module once, on a batch, or materialize(shape)"


class _Unshaped:
    """Base class that rejects all operations that need a shape, and defines `materialize`, which sets one."""

    _becomes: type[Tensor]

    @property
    def shape(self) -> NoReturn:
        raise OperationError(f"shape: {_kind(type(self))} has no shape yet; {REMEDY}")

    def materialize(
        self, shape: Sequence[int], device: DeviceLike | None = None, dtype: DTypeLike | None = None
    ) -> None:
        """Turn this object into an ordinary tensor of the given shape, with uninitialized elements.

        Arguments:
            shape: the lengths.
            device: a new device; the present one if None.
            dtype: a new dtype; the present one if None.
        """
        own: Any = self
        made = empty(tuple(shape), device=own.device if device is None else device, dtype=dtype or own.dtype)
        own.data = made
        own.__class__ = self._becomes
        own._layout = snapshot(own)._layout  # the ordinary layout: its class no longer overrides operators

    def detach(self) -> Self:
        """Return this object, which has no history."""
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        own: Any = self
        memo[id(self)] = new = _empty_like(own, own.device, own.dtype)
        return new  # type: ignore[no-any-return]

    def __reduce_ex__(self, protocol: SupportsIndex) -> Args:
        own: Any = self
        persistent = (own.persistent,) if isinstance(own, Buffer) else ()
        return type(self), (own.requires_grad, str(own.device), own.dtype, *persistent)


def _empty_like(own: Any, device: DeviceLike, dtype: DTypeLike) -> Any:
    """Return another tensor of the same kind.

    Arguments:
        own: the parameter or buffer.
        device: the device of the new tensor.
        dtype: its dtype.
    """
    persistent = (own.persistent,) if isinstance(own, Buffer) else ()
    return type(own)(own.requires_grad, device, dtype, *persistent)


@boundary
class UninitializedParameter(_Unshaped, Parameter):  # type: ignore[misc]  # a shape that raises
    """A parameter whose shape is still unknown; see `LazyLinear`.

    It can be cast, moved and passed to optimizers; `materialize(shape)` turns it into a Parameter. All other operations
    raise ValueError; reading its shape raises RuntimeError.

    Arguments:
        requires_grad: whether it requires a gradient.
        device: its device; the default device if None.
        dtype: its dtype; the default dtype if None.

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
    """A buffer whose shape is still unknown; see `LazyBatchNorm1d`. `materialize(shape)` turns it into a Buffer.

    Arguments:
        requires_grad: whether it requires a gradient.
        device: its device; the default device if None.
        dtype: its dtype; the default dtype if None.
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
    """Call operations that need no elements; ValueError for all others."""
    name = getattr(func, "__name__", str(func))
    if name in ALLOWED:
        made = plain_torch_function(cls, func, types, args, kwargs)
        return _empty_like(args[0], made.device, made.dtype) if isinstance(made, Tensor) else made
    raise InvalidValueError(f"{name}: {_kind(cls)} has no shape yet; {REMEDY}")


def _refusal(name: str) -> Callable[..., NoReturn]:
    def refuse(self: Tensor, *args: object, **kwargs: object) -> NoReturn:
        raise InvalidValueError(f"{name}: {_kind(type(self))} has no shape yet; {REMEDY}")

    return refuse


# Operations that modify elements in place or count them do not dispatch to the class.
for _name in vars(Tensor):
    if (_name.endswith("_") and not _name.startswith("_")) or _name in ("numel", "numpy", "size", "tolist"):
        if _name not in ("requires_grad_", "detach_"):
            setattr(_Unshaped, _name, _refusal(_name))

# Assigned afterwards: a class created with `__torch_function__` makes every later call check for overrides.
_classes: list[Any] = [UninitializedBuffer, UninitializedParameter]
for _class in _classes:
    _class.__torch_function__ = classmethod(_refuse)


def is_lazy(value: object) -> bool:
    """Return whether a value is a parameter or buffer whose shape is still unknown."""
    return isinstance(value, _Unshaped)


def _kind(cls: type) -> str:
    return "an uninitialized parameter" if issubclass(cls, Parameter) else "an uninitialized buffer"
