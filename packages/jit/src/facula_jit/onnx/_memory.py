"""Values in memory: operators read and write addresses, but ONNX nodes have values as operands and results."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_storage import contiguous, cpu, layout_of
from facula_storage.extend.memory import host_view

from .._recording.records import Address
from ._nodes import OnnxExporterError, element_type
from ._strided import is_row_major, memory_order, places_of, strided

if TYPE_CHECKING:
    from collections.abc import Iterable

    from facula_storage import DType, Layout, Storage

    from .._recording.records import Block
    from ._nodes import Builder


class Form(NamedTuple):
    """A value in a block: its offset in bytes, and the layout of its elements."""

    name: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType

    @property
    def is_plain(self) -> bool:
        """True if its elements are contiguous in row-major order."""
        return is_row_major(self.shape, self.strides)


class Parameter(NamedTuple):
    """A tensor of the model, and its name."""

    name: str
    layout: Layout
    offset: int


class State(NamedTuple):
    """The values in blocks at one moment.

    Attributes:
        forms: the forms of each block, all with the same elements.
        unreadable: blocks without a value, with the reason.
    """

    forms: dict[int, list[Form]]
    unreadable: dict[int, str]

    def copy(self) -> State:
        """Return an independent copy."""
        return State({block: list(forms) for block, forms in self.forms.items()}, dict(self.unreadable))


class Memory:
    """The values in all blocks. Each write creates a new value, since nodes have no side effects. `state` contains the
    present values.

    Arguments:
        b: the builder that receives nodes.
        blocks: the blocks.
        parameters: the tensors of the model, by the id of their storage.
    """

    def __init__(self, b: Builder, blocks: list[Block], parameters: dict[int, list[Parameter]]):
        self.b, self.blocks, self.parameters = b, blocks, parameters
        self.state = State({}, {})

    # --------------------------------------------------------------------------------------------------- reading
    def read(self, address: Address) -> str:
        """Return the name of the value at an address, with its layout."""
        layout = address.layout
        assert layout is not None
        if address.block in self.state.unreadable:
            raise OnnxExporterError(self.state.unreadable[address.block])
        forms = self.state.forms.get(address.block)
        if forms is None:
            forms = self.state.forms[address.block] = []
        elif forms and forms[0].dtype is not layout.dtype:
            raise OnnxExporterError(
                f"reads {forms[0].dtype.name} as {layout.dtype.name}, bit by bit; "
                "leave out view(dtype) and complex numbers"
            )
        for form in forms:
            if form.offset == address.offset and same_view(form.shape, form.strides, layout.shape, layout.strides):
                return form.name
        storage = self.blocks[address.block].storage
        if storage is not None:
            name = self._own(address, layout, storage)
        else:
            name = self._view(forms, address, layout)
        forms.append(Form(name, address.offset, layout.shape, layout.strides, layout.dtype))
        return name

    def _view(self, forms: list[Form], address: Address, layout: Layout) -> str:
        """Return a view of an existing value."""
        size = layout.dtype.itemsize
        for form in forms:
            start, end = address.offset - form.offset, address.offset - form.offset + layout.extent
            if form.is_plain and start >= 0 and end <= prod(form.shape) * size:
                return strided(self.b, form.name, form.shape, layout.shape, layout.strides, start // size)
        for form in forms:
            order = None if form.is_plain else memory_order(form.shape, form.strides)
            if order is not None:
                shape = tuple([form.shape[dim] for dim in order])
                name = self.b.add("Transpose", form.name, perm=order)
                plain = Form(name, form.offset, shape, contiguous(shape, form.dtype).strides, form.dtype)
                forms.append(plain)
                return self._view([plain], address, layout)
        raise OnnxExporterError("reads memory that no operator filled; fill it, as zeros() does")

    def _own(self, address: Address, layout: Layout, storage: Storage) -> str:
        """Return the value of a tensor of the model: a parameter, a part of one, or a constant."""
        for parameter in self.parameters.get(id(storage), ()):
            start = address.offset - parameter.offset
            whole = parameter.layout
            if start == 0 and same_view(whole.shape, whole.strides, layout.shape, layout.strides):
                return self._parameter(parameter, storage)
            inside = start >= 0 and start + layout.extent <= whole.extent
            if inside and whole.is_contiguous and whole.dtype is layout.dtype:
                name = self._parameter(parameter, storage)
                return strided(self.b, name, whole.shape, layout.shape, layout.strides, start // layout.dtype.itemsize)
        element_type(layout.dtype)
        single = tuple([1 if step == 0 else size for size, step in zip(layout.shape, layout.strides, strict=True)])
        shown = layout_of(single, layout.strides, layout.dtype, layout.device)
        name = self.b.constant(np.array(host_view(storage.ptr + address.offset, shown)))
        return name if single == layout.shape else self.b.add("Expand", name, self.b.integers(*layout.shape))

    def _parameter(self, parameter: Parameter, storage: Storage) -> str:
        """Return a parameter's name; its elements are not copied until the file is written."""
        if parameter.name not in self.b.parameters:
            element_type(parameter.layout.dtype)
            address = storage.ptr + parameter.offset
            self.b.parameters[parameter.name] = host_view(address, parameter.layout, storage)
        return parameter.name

    # --------------------------------------------------------------------------------------------------- writing
    def write(self, address: Address, name: str) -> None:
        """Store a value at an address; other values in the block are preserved."""
        layout = address.layout
        assert layout is not None
        block = self.blocks[address.block]  # never one of the model's tensors
        self.state.unreadable.pop(address.block, None)
        size = layout.dtype.itemsize
        whole = block.layout.nbytes if block.layout is not None else 0
        forms = self.state.forms.get(address.block, [])
        if block.layout is None and forms:  # an argument
            whole = prod(forms[0].shape) * size
        if layout.numel * size >= whole and memory_order(layout.shape, layout.strides) is not None:
            self.state.forms[address.block] = [Form(name, address.offset, layout.shape, layout.strides, layout.dtype)]
            return
        b = self.b
        flat_layout = contiguous((whole // size,), layout.dtype)
        if not forms:
            self._blank(address.block, flat_layout)
        flat = self.read(address._replace(offset=0, layout=flat_layout))
        places = places_of(layout.shape, layout.strides, address.offset // size).reshape(-1)
        values = b.reshape(name, (-1,)) if len(layout.shape) != 1 else name
        made = b.add("ScatterElements", flat, b.constant(places), values, axis=0)
        self.state.forms[address.block] = [Form(made, 0, flat_layout.shape, (1,), layout.dtype)]

    def _blank(self, block: int, flat: Layout) -> None:
        """Store zeros in a block that has not been written."""
        name = self.b.add("Expand", self.b.number(0, flat.dtype), self.b.integers(*flat.shape))
        self.state.forms[block] = [Form(name, 0, flat.shape, flat.strides, flat.dtype)]

    def mark_unreadable(self, block: int, why: str) -> None:
        """Mark a block as unreadable, with the reason for the error."""
        self.state.unreadable[block] = why

    # ---------------------------------------------------------------------------------------- conditions and loops
    def has(self, block: int) -> bool:
        """Return True if a block contains a value."""
        return bool(self.state.forms.get(block)) and block not in self.state.unreadable

    def address_of(self, block: int) -> Address:
        """Return the address of the whole value in a block."""
        form = self.state.forms[block][0]
        return Address(block, form.offset, layout_of(form.shape, form.strides, form.dtype, cpu), False)

    def prepare(self, block: int, before: int) -> bool:
        """Initialize a block that was created before a launch; return True if it has a value."""
        known = self.blocks[block]
        if not self.has(block) and known.layout is not None and known.after < before:
            self._blank(block, contiguous((known.layout.nbytes // known.layout.dtype.itemsize,), known.layout.dtype))
        return self.has(block)

    def restore(self, state: State, written: Iterable[int]) -> None:
        """Restore the state before a condition or loop, except for the blocks that it writes.

        Constants and parameters that were added since then are preserved: they are not values of the condition itself.
        """
        inside, self.state = self.state, state
        for block, forms in inside.forms.items():
            known = state.forms.setdefault(block, [])
            known += [form for form in forms if self.b.is_known(form.name) and form not in known]
        for block in written:
            state.forms.pop(block, None)
            state.unreadable.pop(block, None)


def same_view(shape: Any, strides: Any, other_shape: Any, other_strides: Any) -> bool:
    """Return True if two layouts at the same offset are equivalent."""
    return shape == other_shape and all(
        [size == 1 or a == b for size, a, b in zip(shape, strides, other_strides, strict=True)]
    )
