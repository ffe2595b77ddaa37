"""Rarely used functions of PyTorch, under the names by which rows of `_places.txt` refer to them."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable
from datetime import timedelta
from functools import reduce, wraps
from importlib import import_module
from itertools import repeat
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

import facula_tensor
from facula_errors import InvalidTypeError, InvalidValueError, MissingAttributeError, OperationError
from facula_errors.extend import boundary
from facula_storage import Device, DType
from facula_tensor import Tensor, no_grad, set_grad_enabled
from facula_tensor.extend.overriding import batches_of, plain_torch_function
from facula_tensor.extend.tensors import elements_as_text

from .._types import AnyValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

F = TypeVar("F", bound="Callable[..., Any]")
MAP_LOCATION: TypeAlias = Callable[..., Any] | Device | str | dict[str, str] | None  # arguments of `load`
DEFAULT_PROTOCOL = 2  # of pickles in files


def nccl_is_available(tensors: AnyValue) -> bool:
    """Return False: tensors on several devices are not sent by NCCL."""
    return False


# ----------------------------------------------------------------------------------------- numbers in place of symbols
def sym_not(a: bool) -> bool:
    """Return `not a`."""
    return not a


def sym_ite(b: bool, t: AnyValue, f: AnyValue) -> AnyValue:
    """Return `t` if `b` is true, else `f`."""
    return t if b else f


def is_true(a: object) -> bool:
    """Return whether a condition holds. Every condition has a value, since shapes are numbers."""
    return bool(a)


def nothing(*arguments: object) -> None:
    """Return None: no program is being traced."""


def never(*arguments: object, **options: object) -> bool:
    """Return False."""
    return False


# ------------------------------------------------------------------------------------------------------------- tensors
def shape_as_tensor(input: Tensor) -> Tensor:
    """Return the shape as an int64 tensor.

    >>> import facula
    >>> shape_as_tensor(facula.ones(2, 3))
    tensor([2, 3])
    """
    return facula_tensor.tensor(list(input.shape), dtype=facula_tensor.int64)


@boundary
def rows_compressed(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Return the start of each of `size` rows in sorted row numbers, followed by the end: (size + 1,).

    >>> import facula
    >>> rows_compressed(facula.tensor([0, 0, 2]), 3)
    tensor([0, 2, 2, 3])
    """
    kind = facula_tensor.int32 if out_int32 else facula_tensor.int64
    begins = facula_tensor.arange(size + 1, dtype=input.dtype)
    return facula_tensor.searchsorted(input, begins).to(kind)


@boundary
def rows_expanded(
    crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False
) -> Tensor:
    """Return the row and column numbers of compressed rows, (2, count): the inverse of `rows_compressed`."""
    kind = facula_tensor.int32 if out_int32 else facula_tensor.int64
    lengths = crow_indices[1:] - crow_indices[:-1]
    rows = facula_tensor.arange(len(lengths)).repeat_interleave(lengths)
    pair = [rows.to(kind), col_indices.to(kind)]
    return facula_tensor.stack(pair[::-1] if transpose else pair)


@boundary
def kl_div(input: Tensor, target: Tensor, reduction: int = 1, *, log_target: bool = False) -> Tensor:
    """Call `nn.functional.kl_div` with a numeric reduction: 0 none, 1 mean, 2 sum."""
    named = ("none", "mean", "sum")[reduction]
    return import_module("facula.nn.functional").kl_div(input, target, reduction=named, log_target=log_target)  # type: ignore[no-any-return]


@boundary
def softmax_backward(grad_output: Tensor, output: Tensor, dim: int, input_dtype: DType) -> Tensor:
    """Return the gradient with respect to a softmax's input.

    Arguments:
        grad_output: the gradient with respect to the output.
        output: the output of the softmax.
        dim: the dimension of the softmax.
        input_dtype: the dtype of the result.
    """
    product = grad_output * output
    return (product - output * product.sum(dim, keepdim=True)).to(input_dtype)


@boundary
def flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """Return all elements of tensors of one dtype, concatenated."""
    return facula_tensor.cat([tensor.contiguous().view(-1) for tensor in tensors])


@boundary
def unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return views of the result of `flatten_dense_tensors` in the shapes of the original tensors."""
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple([part.view_as(tensor) for part, tensor in zip(parts, tensors, strict=True)])


def element_size(dtype: DType) -> int:
    """Return the size in bytes of an element of a dtype."""
    return dtype.itemsize


@boundary
def standard_normal(shape: Sequence[int], dtype: DType, device: Device | str) -> Tensor:
    """Draw numbers from the standard normal distribution, without a gradient."""
    return facula_tensor.normal(
        facula_tensor.zeros(shape, dtype=dtype, device=device), facula_tensor.ones(shape, dtype=dtype, device=device)
    )


@boundary
def sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """Return the sum over the last `dim` dimensions.

    >>> import facula
    >>> sum_rightmost(facula.ones(2, 3, 4), 2)
    tensor([12., 12.])
    """
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


# -------------------------------------------------------------------------------------------------- the program itself
_logged: set[str] = set()


def log_api_usage_once(event: str) -> None:
    """Log the name of a function to the logger "facula.api_usage" at level DEBUG, on its first use only."""
    if event not in _logged:
        _logged.add(event)
        logging.getLogger("facula.api_usage").debug(event)


def overload(func: F) -> F:
    """Mark one of several signatures of a function or method, for `typing.get_overloads`.

    Returns the decorated function, so the last definition of a name is the one that runs.
    """
    from typing import overload as declare

    declare(func)
    return func


def same(function: F) -> F:
    """Return the function itself: a mark for PyTorch's scripts, which facula does not need."""
    return function


def parsed(*arg_descriptors: str) -> Callable[[F], F]:
    """Return a decorator for `onnx.register_custom_op_symbolic` that keeps the types of the arguments."""

    def keep(function: F) -> F:
        function._arg_descriptors = arg_descriptors  # type: ignore[attr-defined]
        return function

    return keep


def disabled_torch_function(
    func: Callable[..., Any], types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """`__torch_function__` of a class whose instances operators treat as plain tensors."""
    return plain_torch_function(Tensor, func, tuple(types), tuple(args), kwargs)


@boundary
def parse_to(*args: Any, **kwargs: Any) -> tuple[Device | None, DType | None, bool, Any]:
    """Return the arguments of `Module.to` as (device, dtype, non_blocking, memory_format).

    TypeError for an argument of another type.

    >>> parse_to("cpu")
    (device(type='cpu'), None, False, None)
    """
    given = {"device": None, "dtype": None, "non_blocking": False, "memory_format": None, "copy": False, **kwargs}
    flags = iter(("non_blocking", "copy"))
    for arg in args:
        if isinstance(arg, Tensor):
            given["device"], given["dtype"] = arg.device, arg.dtype
        elif isinstance(arg, DType):
            given["dtype"] = arg
        elif isinstance(arg, bool):
            given[next(flags)] = arg
        elif arg is None or isinstance(arg, (Device, str, int)):
            given["device"] = arg
        else:
            raise InvalidTypeError(f"to: expected a device, a dtype or a tensor; got {type(arg).__name__}")
    unknown = given.keys() - {"device", "dtype", "non_blocking", "memory_format", "copy", "tensor"}
    if unknown:
        raise InvalidTypeError(f"to: got an unexpected argument {min(unknown)!r}")
    if isinstance(given.get("tensor"), Tensor):
        given["device"], given["dtype"] = given["tensor"].device, given["tensor"].dtype
    place = given["device"]
    return (
        place if place is None or isinstance(place, Device) else Device(place),
        given["dtype"], bool(given["non_blocking"]), given["memory_format"],
    )  # fmt: skip


def default_device_name() -> str:
    """Return the default device of new tensors, as text."""
    return str(import_module("facula").get_default_device())


PG_TIMEOUT = timedelta(minutes=30)  # the default timeout between processes


def backend_name() -> str:
    """Return the name of a program's custom device type. There is no such device."""
    return "privateuseone"


@boundary
def device_module(device: Device | str | None = None) -> ModuleType:
    """Return the module of a device, such as `facula.cpu`; that of the default device if None."""
    place = import_module("facula").get_default_device() if device is None else Device(device)
    return import_module(f"facula.{place.type}")


def in_batch(tensor: Tensor) -> bool:
    """Return whether `vmap` batches a tensor."""
    return bool(batches_of(tensor))


@boundary
def device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int | None:
    """Return the index of a device: -1 for the CPU, where that is allowed. ValueError for a device without an index.

    With `optional`, a device without an index, or None, returns None.
    """
    place = Device(device) if isinstance(device, str) else device
    if isinstance(place, int) and not isinstance(place, bool):
        return place
    if isinstance(place, Device) and place.type == "cpu" and allow_cpu:
        return -1
    if isinstance(place, Device) and place.type != "cpu" and (place.index is not None or optional):
        return place.index
    if place is None and optional:
        return None
    raise InvalidValueError(f"_get_device_index: expected a device with a number, such as 'cuda:1'; got {device!r}")


def dotted(name: str) -> Any:
    """Return the object at a dotted path, which begins with a module."""
    head, *rest = name.split(".")
    return reduce(getattr, rest, import_module(head))


class Wrapped:
    """An exception of another thread or process, as class and text, to be raised here.

    Arguments:
        exc_info: the result of `sys.exc_info()`; called if None.
        where: the place that the message names.
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        self.exc_type: Any
        self.exc_type, error, trace = exc_info or sys.exc_info()
        self.exc_msg = "".join(traceback.format_exception(self.exc_type, error, trace))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise an exception of the class, with the original traceback as its message."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        try:
            error = self.exc_type(message)
        except Exception:  # a class whose constructor has other arguments
            raise OperationError(message) from None
        raise error


# ---------------------------------------------------------------------------------------------------------- optimizers
def capturable_devices(supports_xla: bool = True) -> list[str]:
    """Return the devices that support an optimizer's option `capturable`: none."""
    return []


def fused_or_foreach(params: Sequence[Tensor], differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Return whether an optimizer uses fused or list kernels by default: neither on the CPU."""
    return False, False


def use_grad_for_differentiable(func: F) -> F:
    """Record gradients in an optimizer's `step` only if its option `differentiable` is true."""

    @wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(bool(self.defaults.get("differentiable", False))):
            return func(self, *args, **kwargs)

    return step  # type: ignore[return-value]


def value_of(x: Any) -> Any:
    """Return the number in a tensor of one element, or the number itself."""
    return x.item() if isinstance(x, Tensor) else x


@no_grad()
def view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Replace complex parameters in a list, and the matching entries of the other lists, by their real views."""
    for place, parameter in enumerate(params):
        if parameter.is_complex():
            params[place] = facula_tensor.view_as_real(parameter)
            for others in state_and_grads:
                others[place] = facula_tensor.view_as_real(others[place])


# ------------------------------------------------------------------------------------------------------------- loaders
class DatasetKind:
    """The two kinds of datasets: indexed and iterable."""

    Map = 0
    Iterable = 1


class InfiniteConstantSampler:
    """An endless iterator over None."""

    def __iter__(self) -> Iterator[None]:
        return repeat(None)


# ------------------------------------------------------------------------------------------------------------ printing
class _PrintOptions:
    """Print options as attributes. Reads call `get_printoptions`, writes call `set_printoptions`."""

    def __getattr__(self, name: str) -> Any:
        options = facula_tensor.get_printoptions()
        if name not in options:
            raise MissingAttributeError(f"PRINT_OPTS has no attribute {name!r}", name=name)
        return options[name]

    def __setattr__(self, name: str, value: Any) -> None:
        facula_tensor.set_printoptions(**{name: value})


print_options = _PrintOptions()


def tensor_text(self: Tensor, indent: int = 0) -> str:
    """Return the printed elements of a tensor in brackets; continuation lines begin with `indent` spaces.

    >>> import facula
    >>> tensor_text(facula.tensor([1.0, 2.0]))
    '[1., 2.]'
    """
    return elements_as_text(self.detach(), indent)
