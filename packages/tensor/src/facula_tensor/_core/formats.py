"""Memory formats, which define the order of a copy's elements, by PyTorch's names; and layouts."""

from __future__ import annotations

from facula_errors import ArgumentError, InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary
from facula_storage import Layout, layout_of

from .errors import named, shown
from .transfer import pinned_allocator


class memory_format:
    """The order of a copy's elements in memory. There are four formats, one object each.

    `contiguous_format`: the last dimension is densest. `channels_last` (4 dimensions) and `channels_last_3d` (5):
    the second one is. `preserve_format` leaves the choice to the operator, which takes `contiguous_format`.

    >>> from facula_tensor import zeros
    >>> zeros(2, 3, 4, 5).contiguous(memory_format=channels_last).stride()
    (60, 1, 15, 3)
    """

    __slots__ = ("name", "ndim")

    name: str
    ndim: int | None

    def __init__(self, name: str, ndim: int | None = None):
        self.name, self.ndim = name, ndim

    def __repr__(self) -> str:
        return f"facula.{self.name}"

    def __reduce__(self) -> tuple[object, ...]:
        return (format_named, (self.name,))


contiguous_format: memory_format = memory_format("contiguous_format")  # the last dimension is densest
preserve_format: memory_format = memory_format("preserve_format")  # the operator chooses: `contiguous_format`
channels_last: memory_format = memory_format("channels_last", 4)  # the second of four dimensions is densest
channels_last_3d: memory_format = memory_format("channels_last_3d", 5)  # the second of five dimensions is densest


@boundary
class layout:
    """The storage layout of a tensor's elements. Tensors have one layout, `strided`: an address for each element.

    The sparse layouts exist only for comparisons; functions reject them.

    >>> from facula_tensor import zeros
    >>> zeros(2, layout=strided).layout, zeros(2).layout is sparse_coo
    (facula.strided, False)
    """

    __slots__ = ("name",)

    name: str

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"facula.{self.name}"

    def __reduce__(self) -> str:
        return self.name


strided: layout = layout("strided")  # an address for each element: the layout of all tensors
sparse_bsc: layout = layout("sparse_bsc")  # only for comparisons: no tensor has it
sparse_bsr: layout = layout("sparse_bsr")  # only for comparisons: no tensor has it
sparse_coo: layout = layout("sparse_coo")  # only for comparisons: no tensor has it
sparse_csc: layout = layout("sparse_csc")  # only for comparisons: no tensor has it
sparse_csr: layout = layout("sparse_csr")  # only for comparisons: no tensor has it


def check_storage(operation: str, wanted: object, pin_memory: object) -> None:
    """NotImplementedError for a layout other than `strided`, and for pinned memory without a device that has it."""
    if wanted is not None and wanted is not strided:
        raise UnsupportedError(
            f"{operation}: layout facula.strided is the only one there is; got {wanted!r}; leave layout out"
        )
    if pin_memory and pinned_allocator() is None:
        raise UnsupportedError(
            f"{operation}: there is no pinned memory, because there is no device to copy to; leave pin_memory out"
        )


def format_named(name: str) -> memory_format:
    """Return the format of this name."""
    return next(
        candidate
        for candidate in (contiguous_format, preserve_format, channels_last, channels_last_3d)
        if candidate.name == name
    )


def check_format(operation: str, wanted: object, ndim: int) -> bool:
    """Return whether `wanted` moves the channels to the end; raise if it is not a format or does not match."""
    if wanted is None:
        return False
    if not isinstance(wanted, memory_format):
        raise named(
            InvalidTypeError(
                f"{operation}: expected memory_format to be one such as facula.channels_last; got {shown(wanted)}"
            )
        )
    if wanted.ndim is None:
        return False
    if wanted.ndim != ndim:
        raise named(ArgumentError(f"{operation}: {wanted.name} is for {wanted.ndim} dimensions; got {ndim}"))
    return True


@boundary
def has_format(layout: Layout, wanted: object) -> bool:
    """Return whether a layout has the order `wanted`. ValueError for `preserve_format`, which defines no order."""
    ndim = len(layout.shape)
    if wanted is preserve_format:
        raise named(ArgumentError("is_contiguous: expected a memory format that says an order; got preserve_format"))
    if isinstance(wanted, memory_format) and wanted.ndim not in (None, ndim):
        return False  # as in PyTorch: defined for tensors with any number of dimensions
    if not check_format("is_contiguous", wanted, ndim):
        return layout.is_contiguous
    order = (0, *range(2, ndim), 1)
    shape, strides = [tuple([numbers[d] for d in order]) for numbers in (layout.shape, layout.strides)]
    return layout_of(shape, strides, layout.dtype, layout.device).is_contiguous
