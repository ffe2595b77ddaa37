"""Which value is in memory at each moment: operators read and write addresses, ONNX nodes take and give values."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_storage import contiguous, layout_of
from facula_storage.extend import host_view, plain_address

from ._nodes import OnnxExporterError, element_type
from ._strided import is_row_major, memory_order, places_of, strided

if TYPE_CHECKING:
    from facula_storage import DType, Layout, Storage

    from .._records import Address, Block
    from ._nodes import Builder


class Form(NamedTuple):
    """A value that is in a block: where it begins, in bytes, and how its elements lie."""

    name: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType

    @property
    def is_plain(self) -> bool:
        """Whether its elements lie side by side in row-major order."""
        return is_row_major(self.shape, self.strides)


class Parameter(NamedTuple):
    """A tensor of the model's, and its name."""

    name: str
    layout: Layout
    offset: int


class Memory:
    """The values in all blocks. What is written becomes a new value: nodes change nothing.

    Arguments:
        b: where nodes go.
        blocks: the blocks.
        parameters: the model's tensors, by the id of the storage that they lie in.
    """

    def __init__(self, b: Builder, blocks: list[Block], parameters: dict[int, list[Parameter]]):
        self.b, self.blocks, self.parameters = b, blocks, parameters
        self.forms: dict[int, list[Form]] = {}  # of each block, all with the same elements
        self.holders: dict[int, str] = {}  # what is no value, and why, by block

    # --------------------------------------------------------------------------------------------------- reading
    def read(self, one: Address) -> str:
        """The name of what lies at an address, as its layout shows it."""
        layout = one.layout
        assert layout is not None
        if one.block in self.holders:
            raise OnnxExporterError(self.holders[one.block])
        forms = self.forms.get(one.block)
        if forms is None:
            forms = self.forms[one.block] = []
        elif forms and forms[0].dtype is not layout.dtype:
            raise OnnxExporterError(
                f"reads {forms[0].dtype.name} as {layout.dtype.name}, bit by bit; "
                "leave out view(dtype) and complex numbers"
            )
        for form in forms:
            if form.offset == one.offset and same_view(form.shape, form.strides, layout.shape, layout.strides):
                return form.name
        storage = self.blocks[one.block].held
        if storage is not None:
            name = self._own(one, layout, storage)
        else:
            name = self._view(forms, one, layout)
        forms.append(Form(name, one.offset, layout.shape, layout.strides, layout.dtype))
        return name

    def _view(self, forms: list[Form], one: Address, layout: Layout) -> str:
        """A view of a value that is there."""
        size = layout.dtype.itemsize
        for form in forms:
            start, end = one.offset - form.offset, one.offset - form.offset + layout.extent
            if form.is_plain and start >= 0 and end <= prod(form.shape) * size:
                return strided(self.b, form.name, form.shape, layout.shape, layout.strides, start // size)
        for form in forms:
            order = None if form.is_plain else memory_order(form.shape, form.strides)
            if order is not None:
                shape = tuple([form.shape[dim] for dim in order])
                name = self.b.add("Transpose", form.name, perm=order)
                plain = Form(name, form.offset, shape, contiguous(shape, form.dtype).strides, form.dtype)
                forms.append(plain)
                return self._view([plain], one, layout)
        raise OnnxExporterError("reads memory that no operator filled; fill it, as zeros() does")

    def _own(self, one: Address, layout: Layout, storage: Storage) -> str:
        """What a tensor of the model's holds: a parameter, a part of one, or a constant."""
        for parameter in self.parameters.get(id(storage), ()):
            start = one.offset - parameter.offset
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
        name = self.b.constant(np.array(host_view(plain_address(storage) + one.offset, shown)))
        return name if single == layout.shape else self.b.add("Expand", name, self.b.integers(*layout.shape))

    def _parameter(self, parameter: Parameter, storage: Storage) -> str:
        """A parameter by its name; its elements stay where they are until the file is written."""
        if parameter.name not in self.b.parameters:
            element_type(parameter.layout.dtype)
            address = plain_address(storage) + parameter.offset
            self.b.parameters[parameter.name] = host_view(address, parameter.layout, storage)
        return parameter.name

    # --------------------------------------------------------------------------------------------------- writing
    def write(self, one: Address, name: str) -> None:
        """A value is put at an address; what else lies in the block stays."""
        layout = one.layout
        assert layout is not None
        block = self.blocks[one.block]  # never one of the model's own
        self.holders.pop(one.block, None)
        size = layout.dtype.itemsize
        whole = block.layout.nbytes if block.layout is not None else 0
        forms = self.forms.get(one.block, [])
        if block.layout is None and forms:  # an argument
            whole = prod(forms[0].shape) * size
        if layout.numel * size >= whole and memory_order(layout.shape, layout.strides) is not None:
            self.forms[one.block] = [Form(name, one.offset, layout.shape, layout.strides, layout.dtype)]
            return
        b = self.b
        flat_layout = contiguous((whole // size,), layout.dtype)
        if forms:
            flat = self.read(one._replace(offset=0, layout=flat_layout))
        else:
            flat = b.add("Expand", b.number(0, layout.dtype), b.integers(whole // size))
        places = places_of(layout.shape, layout.strides, one.offset // size).reshape(-1)
        values = b.reshape(name, (-1,)) if len(layout.shape) != 1 else name
        made = b.add("ScatterElements", flat, b.constant(places), values, axis=0)
        self.forms[one.block] = [Form(made, 0, flat_layout.shape, (1,), layout.dtype)]

    def hold(self, one: Address, why: str) -> None:
        """What is written there is no value, for a reason; reading it is refused."""
        self.holders[one.block] = why


def same_view(shape: Any, strides: Any, other_shape: Any, other_strides: Any) -> bool:
    """Whether two layouts of one place show the same."""
    return shape == other_shape and all(
        [size == 1 or a == b for size, a, b in zip(shape, strides, other_strides, strict=True)]
    )
