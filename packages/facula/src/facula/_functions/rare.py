"""Functions of PyTorch that few programs call: what rows of `_places.txt` name, by the names that they have here."""

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
from facula_tensor.extend import batches_of, elements_as_text, plain_torch_function

from .._types import AnyValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

F = TypeVar("F", bound="Callable[..., Any]")
MAP_LOCATION: TypeAlias = Callable[..., Any] | Device | str | dict[str, str] | None  # what `load` may be given
DEFAULT_PROTOCOL = 2  # of pickles in files


# ----------------------------------------------------------------------------------------- numbers in place of symbols
def sym_not(a: bool) -> bool:
    """`not a`."""
    return not a


def sym_ite(b: bool, t: AnyValue, f: AnyValue) -> AnyValue:
    """`t if b else f`."""
    return t if b else f


def is_true(a: object) -> bool:
    """Whether a condition holds; all are known, since shapes are numbers."""
    return bool(a)


def nothing(*arguments: object) -> None:
    """None: no program is being traced."""


def never(*arguments: object, **options: object) -> bool:
    """False: nothing is."""
    return False


# ------------------------------------------------------------------------------------------------------------- tensors
def shape_as_tensor(input: Tensor) -> Tensor:
    """The shape as int64 numbers.

    >>> import facula
    >>> shape_as_tensor(facula.ones(2, 3))
    tensor([2, 3])
    """
    return facula_tensor.tensor(list(input.shape), dtype=facula_tensor.int64)


@boundary
def rows_compressed(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Of sorted row numbers, where each of `size` rows begins, and the end: (size + 1,).

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
    """The row and column numbers, (2, count), of compressed rows: the inverse of `rows_compressed`."""
    kind = facula_tensor.int32 if out_int32 else facula_tensor.int64
    lengths = crow_indices[1:] - crow_indices[:-1]
    rows = facula_tensor.arange(len(lengths)).repeat_interleave(lengths)
    pair = [rows.to(kind), col_indices.to(kind)]
    return facula_tensor.stack(pair[::-1] if transpose else pair)


@boundary
def kl_div(input: Tensor, target: Tensor, reduction: int = 1, *, log_target: bool = False) -> Tensor:
    """`nn.functional.kl_div` with a number for the reduction: 0 none, 1 mean, 2 sum."""
    named = ("none", "mean", "sum")[reduction]
    return import_module("facula.nn.functional").kl_div(input, target, reduction=named, log_target=log_target)  # type: ignore[no-any-return]


@boundary
def softmax_backward(grad_output: Tensor, output: Tensor, dim: int, input_dtype: DType) -> Tensor:
    """The gradient of a softmax's input.

    Arguments:
        grad_output: the gradient of its output.
        output: its output.
        dim: the dimension over which it was taken.
        input_dtype: the dtype of the result.
    """
    product = grad_output * output
    return (product - output * product.sum(dim, keepdim=True)).to(input_dtype)


@boundary
def flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """All elements of tensors of one dtype, one after another."""
    return facula_tensor.cat([one.contiguous().view(-1) for one in tensors])


@boundary
def unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of what `flatten_dense_tensors` made, in the shapes of the tensors that it was made of."""
    parts = flat.split([one.numel() for one in tensors])
    return tuple([part.view_as(one) for part, one in zip(parts, tensors, strict=True)])


def element_size(dtype: DType) -> int:
    """The bytes of an element of a dtype."""
    return dtype.itemsize


@boundary
def standard_normal(shape: Sequence[int], dtype: DType, device: Device | str) -> Tensor:
    """Numbers drawn from the normal distribution, without a gradient."""
    return facula_tensor.normal(
        facula_tensor.zeros(shape, dtype=dtype, device=device), facula_tensor.ones(shape, dtype=dtype, device=device)
    )


@boundary
def sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last `dim` dimensions.

    >>> import facula
    >>> sum_rightmost(facula.ones(2, 3, 4), 2)
    tensor([12., 12.])
    """
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


# -------------------------------------------------------------------------------------------------- the program itself
_logged: set[str] = set()


def log_api_usage_once(event: str) -> None:
    """Write the name of a function to the log "facula.api_usage", at level DEBUG, the first time that it is given."""
    if event not in _logged:
        _logged.add(event)
        logging.getLogger("facula.api_usage").debug(event)


def overload(func: F) -> F:
    """Mark one of several signatures of a function or method: `typing.get_overloads` gives it.

    The decorated function is returned, so the last definition of a name is the one that is called.
    """
    from typing import overload as declare

    declare(func)
    return func


def same(function: F) -> F:
    """The function: a mark for PyTorch's scripts, of which facula's need none."""
    return function


def parsed(*arg_descriptors: str) -> Callable[[F], F]:
    """A decorator of functions for `onnx.register_custom_op_symbolic`: keeps the kinds of their arguments."""

    def keep(function: F) -> F:
        function._arg_descriptors = arg_descriptors  # type: ignore[attr-defined]
        return function

    return keep


def disabled_torch_function(
    func: Callable[..., Any], types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """What `__torch_function__` of a class is that wants operators to take its instances as plain tensors."""
    return plain_torch_function(Tensor, func, tuple(types), tuple(args), kwargs)


@boundary
def parse_to(*args: Any, **kwargs: Any) -> tuple[Device | None, DType | None, bool, Any]:
    """The arguments of `Module.to` as (device, dtype, non_blocking, memory_format).

    TypeError for an argument of another kind.

    >>> parse_to("cpu")
    (device(type='cpu'), None, False, None)
    """
    given = {"device": None, "dtype": None, "non_blocking": False, "memory_format": None, "copy": False, **kwargs}
    flags = iter(("non_blocking", "copy"))
    for one in args:
        if isinstance(one, Tensor):
            given["device"], given["dtype"] = one.device, one.dtype
        elif isinstance(one, DType):
            given["dtype"] = one
        elif isinstance(one, bool):
            given[next(flags)] = one
        elif one is None or isinstance(one, (Device, str, int)):
            given["device"] = one
        else:
            raise InvalidTypeError(f"to: expected a device, a dtype or a tensor; got {type(one).__name__}")
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
    """The device of new tensors, as text."""
    return str(import_module("facula").get_default_device())


PG_TIMEOUT = timedelta(minutes=30)  # how long processes wait for each other


def backend_name() -> str:
    """The name of devices of a program's own, of which there are none."""
    return "privateuseone"


@boundary
def device_module(device: Device | str | None = None) -> ModuleType:
    """The module of a device's functions, such as `facula.cpu`; the default device's if None."""
    place = import_module("facula").get_default_device() if device is None else Device(device)
    return import_module(f"facula.{place.type}")


def in_batch(tensor: Tensor) -> bool:
    """Whether `vmap` batches a tensor."""
    return bool(batches_of(tensor))


@boundary
def device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int | None:
    """The number of a device: -1 for the CPU, where that is allowed. ValueError for a device without a number.

    With `optional`, a device without a number, or None, gives None.
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
    """The object of a dotted path, from the module that it begins with."""
    head, *rest = name.split(".")
    return reduce(getattr, rest, import_module(head))


class Wrapped:
    """An exception of another thread or process, as text and class, to be raised here.

    Arguments:
        exc_info: as `sys.exc_info()` gives it, which is asked if None.
        where: what the message says of the place.
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        self.exc_type: Any
        self.exc_type, error, trace = exc_info or sys.exc_info()
        self.exc_msg = "".join(traceback.format_exception(self.exc_type, error, trace))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise an exception of the class, with the other traceback as its message."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        try:
            error = self.exc_type(message)
        except Exception:  # a class whose constructor takes something else
            raise OperationError(message) from None
        raise error


# ---------------------------------------------------------------------------------------------------------- optimizers
def capturable_devices(supports_xla: bool = True) -> list[str]:
    """The devices on which an optimizer's `capturable` has an effect: none."""
    return []


def fused_or_foreach(params: Sequence[Tensor], differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether an optimizer uses fused kernels or those for lists by default, on the CPU: neither."""
    return False, False


def use_grad_for_differentiable(func: F) -> F:
    """Let an optimizer's `step` record gradients where its option `differentiable` is true, else none."""

    @wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(bool(self.defaults.get("differentiable", False))):
            return func(self, *args, **kwargs)

    return step  # type: ignore[return-value]


def value_of(x: Any) -> Any:
    """The number in a tensor of one element, or the number."""
    return x.item() if isinstance(x, Tensor) else x


@no_grad()
def view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Replace complex parameters in a list, and what belongs to them in the others, by their real views."""
    for place, one in enumerate(params):
        if one.is_complex():
            params[place] = facula_tensor.view_as_real(one)
            for others in state_and_grads:
                others[place] = facula_tensor.view_as_real(others[place])


# ------------------------------------------------------------------------------------------------------------- loaders
class DatasetKind:
    """The two kinds of datasets: with indices, or iterated."""

    Map = 0
    Iterable = 1


class InfiniteConstantSampler:
    """Gives None, again and again."""

    def __iter__(self) -> Iterator[None]:
        return repeat(None)


# ------------------------------------------------------------------------------------------------------------ printing
class _PrintOptions:
    """The options of printing as attributes: reading one reads `get_printoptions`, setting one sets it."""

    def __getattr__(self, name: str) -> Any:
        options = facula_tensor.get_printoptions()
        if name not in options:
            raise MissingAttributeError(f"PRINT_OPTS has no attribute {name!r}", name=name)
        return options[name]

    def __setattr__(self, name: str, value: Any) -> None:
        facula_tensor.set_printoptions(**{name: value})


print_options = _PrintOptions()


def tensor_text(self: Tensor, indent: int = 0) -> str:
    """The elements of a tensor in brackets, as printing shows them; further lines begin with `indent` spaces.

    >>> import facula
    >>> tensor_text(facula.tensor([1.0, 2.0]))
    '[1., 2.]'
    """
    return elements_as_text(self.detach(), indent)
