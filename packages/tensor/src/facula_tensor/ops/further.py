"""Functions that PyTorch has under further names, or in other places: `fill`, `to_dlpack`, `typename`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import int64
from facula_storage.extend import INTEGER

from .._core.tensor import Tensor
from .._creation.filled import layout_like, ones
from .._creation.generator import Generator
from .._creation.random import randint
from .._dispatch.namespaces import no_record_ops
from .._dispatch.written import function, maker
from .neural.vision.padding import pad as padded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core.types import DeviceLike, DTypeLike, Operand
    from .._dispatch.kinds import Checked, IntegerOrNone, Steady
    from .._dispatch.namespaces import Namespace


@function(overridable=True, out=True)
def fill(F: Namespace, input: Checked, value: Operand) -> Tensor:
    """A tensor like `input`, all of whose elements are `value`.

    Arguments:
        value: a number, or a tensor without dimensions.

    >>> from facula_tensor import ones
    >>> fill(ones(2), 3)
    tensor([3., 3.])
    """
    return F.clone(input).fill_(value)


@function(overridable=True, out=True)
def constant_pad_nd(F: Namespace, input: Checked, pad: Sequence[int], value: float = 0) -> Tensor:
    """`functional.pad` with a constant.

    Arguments:
        pad: how many elements are added, pairs (before, after) from the last dimension on; negative ones are cut off.
        value: the constant.

    >>> from facula_tensor import ones
    >>> constant_pad_nd(ones(2), (1, 0), 5)
    tensor([5., 1., 1.])
    """
    result = padded(input, pad, value=value)
    return F.clone(result) if result is input else result


@function()
def to_dlpack(input: Checked) -> object:
    """A DLPack capsule of a tensor's memory, which other libraries read once: `input.__dlpack__()`."""
    return input.__dlpack__()


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


@maker("like", memory_format=True)
def randint_like(
    input: Tensor,
    low: int = 0,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Random integers, drawn evenly, in the shape of a tensor.

    `randint_like(input, high)` draws from 0 on.

    Arguments:
        low: the least number.
        high: the number after the greatest.

    >>> from facula_tensor import ones
    >>> randint_like(ones(2), 1)
    tensor([0., 0.])
    """
    made = layout_like("randint_like", input, dtype, device)
    ends = (low, high) if high is not None else (0, low)
    return randint(*ends, made.shape, generator=generator, dtype=made.dtype, device=made.device)


@function(overridable=True)
def vander(F: Namespace, x: Steady, N: IntegerOrNone = None, increasing: bool = False) -> Tensor:
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
    if x.ndim != 1:
        raise ArgumentError(f"vander: expected one dimension; got shape {tuple(x.shape)}")
    n = x.shape[0]
    columns = n if N is None else N
    if columns < 0:
        raise ArgumentError(f"vander: expected N of at least 0; got {columns}")
    if x.dtype.category <= INTEGER:
        x = no_record_ops.to(x, (int64,))
    powers = ones(n, min(columns, 1), dtype=x.dtype, device=x.device)
    if columns > 1:
        repeated = F.expand(F.unsqueeze(x, 1), (n, columns - 1))
        powers = F.cat((powers, repeated.cumprod(1)), (1,))
    return powers if increasing else powers.flip(1)
