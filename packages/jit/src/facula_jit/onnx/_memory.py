"""Which value is in memory at each moment: operators read and write addresses, ONNX nodes take and give values."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_storage import contiguous, cpu, layout_of
from facula_storage.extend import host_view

from .._recording.records import Address
from ._nodes import OnnxExporterError, element_type
from ._strided import is_row_major, memory_order, places_of, strided

if TYPE_CHECKING:
    from collections.abc import Iterable

    from facula_storage import DType, Layout, Storage

    from .._recording.records import Block
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


class State(NamedTuple):
    """The values in blocks at one moment.

    Attributes:
        forms: those of each block, all with the same elements.
        holders: blocks that hold no value, and why.
    """

    forms: dict[int, list[Form]]
    holders: dict[int, str]

    def copy(self) -> State:
        """The same, to be changed by itself."""
        return State({block: list(forms) for block, forms in self.forms.items()}, dict(self.holders))


class Memory:
    """The values in all blocks. What is written becomes a new value: nodes change nothing. `state` is what is there.

    Arguments:
        b: where nodes go.
        blocks: the blocks.
        parameters: the model's tensors, by the id of the storage that they lie in.
    """

    def __init__(self, b: Builder, blocks: list[Block], parameters: dict[int, list[Parameter]]):
        self.b, self.blocks, self.parameters = b, blocks, parameters
        self.state = State({}, {})

    # --------------------------------------------------------------------------------------------------- reading
    def read(self, one: Address) -> str:
        """The name of what lies at an address, as its layout shows it."""
        layout = one.layout
        assert layout is not None
        if one.block in self.state.holders:
            raise OnnxExporterError(self.state.holders[one.block])
        forms = self.state.forms.get(one.block)
        if forms is None:
            forms = self.state.forms[one.block] = []
        elif forms and forms[0].dtype is not layout.dtype:
            raise OnnxExporterError(
                f"reads {forms[0].dtype.name} as {layout.dtype.name}, bit by bit; "
                "leave out view(dtype) and complex numbers"
            )
        for form in forms:
            if form.offset == one.offset and same_view(form.shape, form.strides, layout.shape, layout.strides):
                return form.name
        storage = self.blocks[one.block].storage
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
        name = self.b.constant(np.array(host_view(storage.ptr + one.offset, shown)))
        return name if single == layout.shape else self.b.add("Expand", name, self.b.integers(*layout.shape))

    def _parameter(self, parameter: Parameter, storage: Storage) -> str:
        """A parameter by its name; its elements stay where they are until the file is written."""
        if parameter.name not in self.b.parameters:
            element_type(parameter.layout.dtype)
            address = storage.ptr + parameter.offset
            self.b.parameters[parameter.name] = host_view(address, parameter.layout, storage)
        return parameter.name

    # --------------------------------------------------------------------------------------------------- writing
    def write(self, one: Address, name: str) -> None:
        """A value is put at an address; what else lies in the block stays."""
        layout = one.layout
        assert layout is not None
        block = self.blocks[one.block]  # never one of the model's own
        self.state.holders.pop(one.block, None)
        size = layout.dtype.itemsize
        whole = block.layout.nbytes if block.layout is not None else 0
        forms = self.state.forms.get(one.block, [])
        if block.layout is None and forms:  # an argument
            whole = prod(forms[0].shape) * size
        if layout.numel * size >= whole and memory_order(layout.shape, layout.strides) is not None:
            self.state.forms[one.block] = [Form(name, one.offset, layout.shape, layout.strides, layout.dtype)]
            return
        b = self.b
        flat_layout = contiguous((whole // size,), layout.dtype)
        if not forms:
            self._blank(one.block, flat_layout)
        flat = self.read(one._replace(offset=0, layout=flat_layout))
        places = places_of(layout.shape, layout.strides, one.offset // size).reshape(-1)
        values = b.reshape(name, (-1,)) if len(layout.shape) != 1 else name
        made = b.add("ScatterElements", flat, b.constant(places), values, axis=0)
        self.state.forms[one.block] = [Form(made, 0, flat_layout.shape, (1,), layout.dtype)]

    def _blank(self, block: int, flat: Layout) -> None:
        """Zeros, in memory that nothing was written to."""
        name = self.b.add("Expand", self.b.number(0, flat.dtype), self.b.integers(*flat.shape))
        self.state.forms[block] = [Form(name, 0, flat.shape, flat.strides, flat.dtype)]

    def hold(self, block: int, why: str) -> None:
        """What is in a block is no value, for a reason; reading it is refused."""
        self.state.holders[block] = why

    # ---------------------------------------------------------------------------------------- conditions and loops
    def has(self, block: int) -> bool:
        """Whether there is a value in a block."""
        return bool(self.state.forms.get(block)) and block not in self.state.holders

    def address_of(self, block: int) -> Address:
        """All that is in a block, as the value that is there has it."""
        form = self.state.forms[block][0]
        return Address(block, form.offset, layout_of(form.shape, form.strides, form.dtype, cpu), False)

    def prepare(self, block: int, before: int) -> bool:
        """Let a block that was made before a launch have a value; whether one has it."""
        known = self.blocks[block]
        if not self.has(block) and known.layout is not None and known.after < before:
            self._blank(block, contiguous((known.layout.nbytes // known.layout.dtype.itemsize,), known.layout.dtype))
        return self.has(block)

    def restore(self, state: State, written: Iterable[int]) -> None:
        """What there was at a moment before a condition or loop, but for the blocks that it writes.

        Constants and parameters that were met since then stay known: they are no values of the condition's own.
        """
        inside, self.state = self.state, state
        for block, forms in inside.forms.items():
            known = state.forms.setdefault(block, [])
            known += [one for one in forms if self.b.is_known(one.name) and one not in known]
        for block in written:
            state.forms.pop(block, None)
            state.holders.pop(block, None)


def same_view(shape: Any, strides: Any, other_shape: Any, other_strides: Any) -> bool:
    """Whether two layouts of one place show the same."""
    return shape == other_shape and all(
        [size == 1 or a == b for size, a, b in zip(shape, strides, other_strides, strict=True)]
    )
