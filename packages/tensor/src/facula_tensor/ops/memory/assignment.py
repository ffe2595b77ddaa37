"""Assignment to a tensor: `copy_`, `fill_`, `zero_`, and the in-place forms of composite operators."""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes
from facula_autograd.extend.nodes import edge_to
from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import known_modules, trim_traceback
from facula_storage import Layout, cpu
from facula_storage.extend.recording import current_recorder, recorders

from ..._core.call_sites import user_frame, user_site
from ..._core.errors import named, relabel
from ..._core.memory import check_overlap, check_writable
from ..._core.promotion import number_for
from ..._core.tensor import Tensor, layout_of_tensor, method, snapshot
from ..._core.transfer import transfer
from ..._core.wrapped import innermost
from ..._creation.filling import BITS, add_fill_launches, fill_snapshot, fills, numeric_launches
from ..._creation.from_data import as_tensor_like
from ..._dispatch.arguments import source
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import identity_grad, no_record_ops, operators, recorded_ops, zero_grad
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.inplace_checks import check_result_fits, starts_inplace
from ..._dispatch.slow_path.launching import MISSED, mutated
from ..._dispatch.slow_path.nodes import node_for
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.slow_path.snapshots import edge_from, snapshots_of
from ..._dispatch.slow_path.view_changes import rebase
from ..._dispatch.slow_path.writing import is_copied, write
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from . import copying as _copying  # noqa: F401  declares `to`

if TYPE_CHECKING:
    from ..._core.types import Function, Operand
    from ..._dispatch.kinds import Checked
    from ..._dispatch.namespaces import Namespace


def _copy_into(target: Tensor, source: Tensor) -> Tensor:
    level = innermost((target, source))
    if level is not None:
        return level.copy("copy_", target, source)
    now = snapshot(target)
    write(now, snapshot(source))
    mutated(now, "copy_")
    return target


no_record_ops.copy_into = recorded_ops.copy_into = _copy_into


@operator
class _overwrite:
    """The graph node of `copy_`: it discards the old value; the new value is the source, broadcast."""

    inputs = ("input", "other")
    holomorphic = False
    batching = "first"
    broadcasts = True

    def outputs(layout, other):
        return layout

    vjp_input = zero_grad

    vjp_other = identity_grad


@overridable
@method()
def copy_(self: Tensor, src: Operand, non_blocking: bool = False) -> Tensor:
    """Copy the elements of `src` into this tensor, casting and broadcasting. Returns this tensor.

    `src` may also be a number.

    Arguments:
        src: the elements.
        non_blocking: whether to continue before a copy between a device and pinned memory is done. The source must
            not change, and a target in host memory must not be read, before a wait for the device.

    Raises:
        ValueError: if `src` does not broadcast to the shape of this tensor.

    >>> from facula_tensor import zeros, tensor
    >>> zeros(2, 2).copy_(tensor([1, 2]))
    tensor([[1., 2.],
            [1., 2.]])
    """
    try:
        return self if is_copied("copy_", self, src) else copy_as("copy_", self, src, non_blocking)
    except FaculaError as error:
        trim_traceback(error)
        raise


_copies = operators["to"].slow_table.by_key


def assign_inplace(operation: str, target: Tensor, result: Tensor) -> Tensor:
    """Store `result` in `target` and return `target`: the in-place form of a composite operator.

    Arguments:
        operation: the name of the operator.

    Raises:
        TypeError: if `target` cannot store the dtype of the result.
        ValueError: if the shapes differ.
    """
    if result._layout is not target._layout:
        check_result_fits(operation, layout_of_tensor(result), layout_of_tensor(target))
    return target if is_copied(operation, target, result) else copy_as(operation, target, result)


def changed(
    operation: str, input: Tensor, compute: Function, *others: Any, leading: tuple[Any, ...] = (), **options: Any
) -> Tensor:
    """Store `compute(*leading, input, *others, **options)` in `input`: `assign_inplace`, from a `source` of elements.

    It copies without further calls in the usual case: nothing is recorded, and the layouts are known.
    """
    before, plain = input, not active_modes
    for operand in (input, *others):
        if isinstance(operand, Tensor) and (operand.node is not None or type(operand._layout) is not Layout):
            plain = False
    if not plain or type(input) is not Tensor:
        before = source(operation, input, *others)
    result = compute(*leading, before, *others, **options)
    try:
        layout = input._layout
        storage = input._storage
        offset = input._offset
        if plain and result._layout is layout and layout.is_contiguous:
            launch = _copies[(layout,), layout].launch
            storage.version + 1  # type: ignore[operator]  # read-only memory has version None and raises a TypeError
            address, place = storage.ptr + offset, result._storage.ptr + result._offset
            if not -layout.extent < place - address < layout.extent:
                launch(layout.numel, place, address)
                storage.version += 1  # type: ignore[operator]
                f = _getframe(1)
                try:
                    while known_modules[f.f_globals["__name__"]]:
                        f = f.f_back  # type: ignore[assignment]
                except (AttributeError, KeyError):  # as in fast/template.py
                    f = user_frame(1)
                storage.mutator = (operation, f.f_code, f.f_lasti)
                return input
    except MISSED as error:
        if hasattr(error, "launched"):
            raise
    return assign_inplace(operation, input, result)


def copy_as(operation: str, self: Tensor, source: Operand, non_blocking: bool = False) -> Tensor:
    """Copy `source` into `self` and record the copy as `operation`; handles every case that `is_copied` rejects."""
    try:
        source = as_tensor_like(source, self, operation)
        level = innermost((self, source))
        if level is not None:  # Note [Levels]
            return level.copy(operation, self, source)
        record = starts_inplace(operation, self, (self, source))
        recorder = current_recorder() if recorders else None
        if recorder is not None:
            recorder.operands((self, source))
        target, held = snapshots_of((self, source), record)
        check_writable(operation, target)
        layout = target._layout
        if broadcast_shapes(operation, layout.shape, held._layout.shape) != layout.shape:
            raise ArgumentError(
                f"{operation}: source of shape {held._layout.shape} does not broadcast to {layout.shape}; reshape it"
            )
        if held._layout.device is not layout.device:
            if not record and type(held._layout) is Layout and is_moved(held, target, non_blocking):
                mutated(target, operation)
                return self
            later = bool(non_blocking) and layout.device is not cpu  # the host reads the elements next
            held = (recorded_ops if record else no_record_ops).to_device(held, (layout.device, later))
        same = check_overlap(operation, target, (held,))
    except Exception as error:
        relabel(error, operation)
        raise
    if not (same and held._layout.dtype is layout.dtype):
        write(target, held)
    mutated(target, operation)
    if record:
        edges = (edge_to(self), edge_from(held))
        node_for(operators["overwrite"], (self, held), (layout, held._layout), (), [self], None, edges)
        rebase(self, edges[0])
    return self


def is_moved(held: Tensor, target: Tensor, non_blocking: bool) -> bool:
    """Copy a snapshot to one on another device if only their devices differ; otherwise return False."""
    layout, wanted = held._layout, target._layout
    if layout.shape != wanted.shape or layout.dtype is not wanted.dtype or not wanted.is_contiguous:
        return False
    transfer(no_record_ops.contiguous(held), target, bool(non_blocking))
    return True


@overridable
@method()
def fill_(self: Tensor, value: Operand) -> Tensor:
    """Set every element to `value`, a number or a zero-dimensional tensor. Returns this tensor.

    >>> from facula_tensor import zeros
    >>> zeros(3).fill_(2.5)
    tensor([2.5000, 2.5000, 2.5000])
    """
    try:
        return _fill("fill_", self, value)
    except FaculaError as error:
        trim_traceback(error)
        raise


def _fill(operation: str, self: Tensor, value: Operand) -> Tensor:
    """Set every element of `self` to `value` and report errors as `operation`."""
    try:  # the usual case: nothing to record, and a launch is known
        layout = self._layout
        storage = self._storage
        offset = self._offset
        if not active_modes and self.node is None:
            launch, number = numeric_launches[type(value)][layout.dense], value  # type: ignore[index]
            if launch is None:
                launch, number = fills.dense[layout.dense], BITS[value]  # type: ignore[index]
            storage.version + 1  # type: ignore[operator]  # read-only memory has version None and raises a TypeError
            launch(layout.numel, storage.ptr + offset, number)  # type: ignore[misc]
            storage.version += 1  # type: ignore[operator]
            storage.mutator = (operation, *user_site())
            return self
    except MISSED as error:
        if hasattr(error, "launched"):
            raise
    if isinstance(value, Tensor):
        if value.ndim:
            raise named(
                ArgumentError(
                    f"{operation}: expected a number or a zero-dimensional tensor; got shape {tuple(value.shape)}"
                )
            )
        return copy_as(operation, self, value)
    try:
        now = snapshot(self)
    except AttributeError:
        as_tensor(operation, self)
        raise
    value = number_for(value, layout_of_tensor(now).dtype, operation)
    if starts_inplace(operation, self, (self,)):
        return copy_as(operation, self, value)
    # No check for overlapping elements, as after expand(): all of them receive the same number.
    check_writable(operation, now)
    fill_snapshot(now, value)
    add_fill_launches(now._layout)
    mutated(now, operation)
    return self


@overridable
@method()
def zero_(self: Tensor) -> Tensor:
    """Set every element to 0. Returns this tensor."""
    try:
        return _fill("zero_", self, 0)
    except FaculaError as error:
        trim_traceback(error)
        raise


@function(overridable=True, out=True)
def fill(F: Namespace, input: Checked, value: Operand) -> Tensor:
    """Return a tensor with the shape and dtype of `input` in which every element is `value`.

    Arguments:
        value: a number or a zero-dimensional tensor.

    >>> from facula_tensor import ones
    >>> fill(ones(2), 3)
    tensor([3., 3.])
    """
    return F.clone(input).fill_(value)
