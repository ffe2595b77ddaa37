"""Functions that PyTorch has under further names, or in other places: `fill`, `to_dlpack`, `typename`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_errors.extend import boundary
from facula_storage import int64
from facula_storage.extend import INTEGER

from .._core.formats import check_storage
from .._core.promotion import as_integer
from .._core.tensor import Tensor, steady
from .._creation.filled import finish, in_format, like, ones
from .._creation.generator import Generator
from .._creation.random import randint
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from .padding import pad as padded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core.types import DeviceLike, DTypeLike, MemoryFormat, Operand

__all__ = ["constant_pad_nd", "fill", "randint_like", "to_dlpack", "typename", "vander"]


@overridable
@boundary
def fill(input: Tensor, value: Operand, *, out: Tensor | None = None) -> Tensor:
    """A tensor like `input`, all of whose elements are `value`.

    Arguments:
        input: any tensor.
        value: a number, or a tensor without dimensions.
        out: a tensor that takes the result, or None.

    >>> from facula_tensor import ones
    >>> fill(ones(2), 3)
    tensor([3., 3.])
    """
    return write_out("fill", recorded_ops.clone(as_tensor("fill", input)).fill_(value), out)


@overridable
@boundary
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: float = 0, *, out: Tensor | None = None) -> Tensor:
    """`functional.pad` with a constant.

    Arguments:
        input: any tensor.
        pad: how many elements are added, pairs (before, after) from the last dimension on; negative ones are cut off.
        value: the constant.
        out: a tensor that takes the result, or None.

    >>> from facula_tensor import ones
    >>> constant_pad_nd(ones(2), (1, 0), 5)
    tensor([5., 1., 1.])
    """
    result = padded(as_tensor("constant_pad_nd", input), pad, value=value)
    return write_out("constant_pad_nd", recorded_ops.clone(result) if result is input else result, out)


@boundary
def to_dlpack(input: Tensor) -> object:
    """A DLPack capsule of a tensor's memory, which other libraries read once: `input.__dlpack__()`."""
    return as_tensor("to_dlpack", input).__dlpack__()


def typename(obj: object) -> str:
    """The type of an object, by module and class; of a tensor the result of `x.type()`.

    >>> from facula_tensor import ones
    >>> typename(ones(1)), typename(3)
    ('torch.FloatTensor', 'int')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    module = getattr(obj, "__module__", None) or getattr(type(obj), "__module__", "")
    name = getattr(obj, "__qualname__", None) or type(obj).__qualname__
    return name if module in ("", "builtins", "__builtin__") else f"{module}.{name}"


@boundary
def randint_like(
    input: Tensor,
    low: int = 0,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """Random integers, drawn evenly, in the shape of a tensor.

    `randint_like(input, high)` draws from 0 on.

    Arguments:
        input: the tensor whose shape the result has.
        low: the least number.
        high: the number after the greatest.
        generator: whose random numbers; the default one's if None.
        dtype: the result's dtype, or None for that of `input`.
        layout: `strided` or None; any other is refused.
        device: the result's device, or None for that of `input`.
        requires_grad: whether the result wants a gradient.
        pin_memory: refused if true.
        memory_format: the order of the elements, or None for row-major.

    >>> from facula_tensor import ones
    >>> randint_like(ones(2), 1)
    tensor([0., 0.])
    """
    if layout is not None or pin_memory:
        check_storage("randint_like", layout, pin_memory)
    made = like("randint_like", input, dtype, device)
    ends = (low, high) if high is not None else (0, low)
    result = randint(*ends, made.shape, generator=generator, dtype=made.dtype, device=made.device)
    return finish(in_format(result, memory_format, False), requires_grad)


@overridable
@boundary
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The Vandermonde matrix: powers of each element of a vector, in a row for each.

    Arguments:
        x: a vector.
        N: the number of powers, len(x) if None.
        increasing: whether powers go from 0 to N - 1; else from N - 1 to 0.

    >>> from facula_tensor import tensor
    >>> vander(tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """
    x = steady(as_tensor("vander", x))
    if x.ndim != 1:
        raise ArgumentError(f"vander: expected one dimension; got shape {tuple(x.shape)}")
    n = x.shape[0]
    columns = n if N is None else as_integer(N, "vander", "N")
    if columns < 0:
        raise ArgumentError(f"vander: expected N of at least 0; got {columns}")
    if x.dtype.category <= INTEGER:
        x = no_record_ops.to(x, (int64,))
    powers = ones(n, min(columns, 1), dtype=x.dtype, device=x.device)
    if columns > 1:
        repeated = recorded_ops.expand(recorded_ops.unsqueeze(x, 1), (n, columns - 1))
        powers = recorded_ops.cat((powers, repeated.cumprod(1)), (1,))
    return powers if increasing else powers.flip(1)
