"""The adapter through which the autograd engine handles tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_autograd.extend.nodes import Node
from facula_autograd.extend.saved_values import Packed
from facula_autograd.extend.values import Adapter, reduces_to, register_adapter
from facula_errors import InvalidValueError
from facula_storage import Layout, Storage, contiguous, cpu, meta, uint8
from facula_storage.extend.layouts import COMPLEX, FLOATING, layout_cache_clearers
from facula_storage.extend.memory import capacity, host_view, release_idle_memory
from facula_storage.extend.recording import recorders

from .._core.errors import mutation, show
from .._core.foreign import tensor_over
from .._core.memory import check_writable
from .._core.tensor import Tensor, layout_of_tensor, make
from .._core.view_family import register
from .._core.wrapped import Level, LevelLayout, innermost
from .._creation.filled import empty, ones, zeros
from .._creation.from_data import tensor
from .._creation.generator import default_generators, default_states, repeating
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .._dispatch.rules.saved import SavedTensors
from .._dispatch.slow_path.inplace_checks import check_family
from .._dispatch.slow_path.launching import mutated
from .._dispatch.slow_path.view_changes import rebase
from .._dispatch.slow_path.writing import is_copied
from ..ops.elementwise import arithmetic as _  # noqa: F401  declares what the class below takes over
from ..ops.elementwise.logic import isinf
from ..ops.shape.joining import stack
from .finite import all_finite, unwrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence


# The initial gradients of backward passes; those of the host in NumPy memory, so that they do not occupy blocks.
_ones: dict[Layout, Tensor] = {}
layout_cache_clearers.append(_ones.clear)
MAX_ONES = 64


def one_like(layout: Layout) -> Tensor | None:
    """Return a cached 1 with this layout; None if it is not cached, as for all layouts of more than one element."""
    if layout.numel != 1 or layout.device is meta or layout.dtype.numpy is None or len(_ones) >= MAX_ONES:
        return None
    if layout.device is cpu:
        return _ones.setdefault(layout, tensor_over(np.ones(layout.shape, layout.dtype.numpy)))
    if recorders:  # a replay would have to keep it
        return None
    return _ones.setdefault(layout, ones(layout.shape, dtype=layout.dtype, device=layout.device))


def _bytes_of(v: Tensor) -> memoryview:
    """Return the memory of a contiguous host tensor as bytes."""
    layout = contiguous((layout_of_tensor(v).nbytes,), uint8)
    return memoryview(host_view(v._storage.ptr + v._offset, layout, v))  # type: ignore[arg-type]  # Python 3.11's types


class TensorAdapter(Adapter):
    """The engine's adapter for Tensor."""

    no_record_ops = no_record_ops
    recorded_ops = recorded_ops
    #: `a += b` without recording: the operator itself, since the engine uses it at most nodes.
    add_into = staticmethod(no_record_ops.add_into)

    def is_apart(self, a: Tensor, b: Tensor) -> bool:
        """Whether the memory of `a` is known to be none of `b`'s."""
        return type(a._layout) is Layout and type(b._layout) is Layout and a._storage is not b._storage

    def add(self, a: Tensor, b: Tensor) -> Tensor:
        """Return `a + b` as a new tensor."""
        return no_record_ops.add(a, b)

    def clone(self, v: Tensor) -> Tensor:
        """Return a contiguous copy."""
        return no_record_ops.clone(v)

    def copy_into(self, target: Tensor, v: Tensor) -> Tensor:
        """Copy the elements to `target`, and return it."""
        if not is_copied("backward", target, v, exact=True):
            no_record_ops.copy_into(target, v)
        return target

    def adopt(self, v: Tensor) -> Tensor:
        """Return a contiguous gradient that only the engine references unchanged, to become `.grad`."""
        layout = v._layout
        if type(layout) is not Layout:
            if isinstance(layout, LevelLayout):
                return v
            layout = layout_of_tensor(v)
        return v if layout.is_contiguous else no_record_ops.clone(v)

    def ones_like(self, v: Tensor) -> Tensor:
        """Return ones like the output of a backward pass; for the usual losses a copy of a cached 1."""
        layout = layout_of_tensor(v)
        seed = _ones[layout] if layout in _ones else one_like(layout)
        return no_record_ops.ones_like(v) if seed is None else no_record_ops.clone(seed)

    def zeros_like(self, v: Tensor) -> Tensor:
        """Return zeros."""
        return no_record_ops.zeros_like(v)

    def zeros(self, metadata: Any) -> Tensor:
        """Return zeros for a value of this shape, dtype and device."""
        shape, dtype, device = metadata
        return zeros(shape, dtype=dtype, device=device)

    def alias(self, v: Tensor) -> Tensor:
        """Return another tensor over the same storage."""
        layout = v._layout
        if isinstance(layout, LevelLayout):
            return make(Tensor, layout, v._storage, v._offset)  # type: ignore[arg-type]
        return v.detach()

    def unstack(self, v: Tensor) -> list[Tensor]:
        """Return the rows of a tensor."""
        return list(recorded_ops.unbind(v, 0)) if layout_of_tensor(v).shape else []

    def stack(self, values: list[Tensor]) -> Tensor:
        """Return the rows as one tensor."""
        return stack(values)

    def row_count(self, v: Tensor) -> int:
        """The length of the first dimension."""
        return layout_of_tensor(v).shape[0] if layout_of_tensor(v).shape else 0

    def map_rows(self, function: Any, batches: Sequence[Tensor], retain: bool | None) -> list[Tensor | None]:
        """Call the function once for all rows, by `vmap`."""
        from ..transforms.mapping import vmap  # at its first use

        which: list[bool] = []

        def call(*row: Tensor) -> tuple[Tensor, ...]:
            found = function(row, retain)
            which[:] = [g is not None for g in found]
            return tuple([g for g in found if g is not None])

        made = iter(vmap(call, randomness="same")(*batches))
        return [next(made) if is_wanted else None for is_wanted in which]

    def push_forward(self, function: Callable[[Tensor], list[Tensor]], point: Tensor, tangent: Tensor) -> list[Tensor]:
        """Return the tangents, computed with dual tensors."""
        from ..forward_ad import dual_level, make_dual, unpack_dual  # at its first use

        with dual_level():
            pairs = [unpack_dual(result) for result in function(make_dual(point, tangent))]
        return [no_record_ops.zeros_like(v) if t is None else t.detach() for v, t in pairs]

    def transform(self, args: Sequence[object]) -> Level | None:
        """Return the innermost level that wraps one of a Function's arguments."""
        return innermost(args)

    def metadata(self, v: Tensor) -> Any:
        """Return shape, dtype and device."""
        layout = v._layout
        if type(layout) is not Layout:  # the engine calls this twice in each pass
            layout = layout_of_tensor(v)
        return layout.shape, layout.dtype, layout.device

    def fit_gradient(self, metadata: Any, v: Tensor, reduce: bool = False) -> Tensor:
        """Return `v` in this shape (summed if it was broadcast from it) and dtype."""
        shape, dtype, device = metadata
        layout = layout_of_tensor(v)
        wanted = contiguous(shape, dtype, device)
        fits = layout.shape == shape or (reduce and reduces_to(layout.shape, shape))
        if not fits or layout.device is not device or (layout.dtype.category == COMPLEX) > (dtype.category == COMPLEX):
            raise InvalidValueError(f"expected {show(wanted)} on {device}; got {show(layout)} on {layout.device}")
        if layout.shape != shape:
            v = recorded_ops.sum_to(v, wanted)
        return v if layout.dtype is dtype else recorded_ops.to(v, (dtype,))

    def differentiable(self, v: Tensor) -> bool:
        """Return whether the dtype is floating or complex."""
        return layout_of_tensor(v).dtype.category >= FLOATING

    def is_scalar(self, v: Tensor) -> bool:
        """Return whether there is one element, and it is real."""
        layout = layout_of_tensor(v)
        return layout.numel == 1 and layout.dtype.category != COMPLEX

    def version(self, v: Tensor) -> int:
        """Return the storage's version."""
        return v._storage.version  # type: ignore[return-value]

    def describe(self, v: Tensor) -> str:
        """Return dtype and shape, and the device if it is not the CPU."""
        layout = layout_of_tensor(v)
        return show(layout) if layout.device is cpu else f"{show(layout)} on {layout.device}"

    def describe_mutation(self, v: Tensor) -> str | None:
        """Return the operator and call site of the storage's last change."""
        return mutation(v._storage)

    def all_finite(self, values: Sequence[Any], nan: bool = True, inf: bool = True) -> bool:
        """Return whether all elements are finite, determined from their sum. Devices are read explicitly."""
        return all_finite(values)

    def is_finite(self, v: Tensor, nan: bool = True, inf: bool = True) -> bool:
        """Return whether no element is NaN or infinite; True for tensors without readable elements."""
        v = unwrapped(v)
        if layout_of_tensor(v).device.type == "meta":
            return True
        if v.device is not cpu:  # one element is read
            checks = [no_record_ops.isnan(v)] * nan + [isinf(v)] * inf
            return not (checks and no_record_ops.any(stack(checks), (tuple(range(v.ndim + 1)), False)).item())
        array = no_record_ops.to(v, (layout_of_tensor(v).dtype.to_complex(),)).numpy()
        return not (nan and np.isnan(array).any()) and not (inf and np.isinf(array).any())

    def nbytes(self, v: Tensor) -> int:
        """Return the size of all elements in bytes."""
        return layout_of_tensor(v).nbytes

    def to_host(self, v: Tensor, pin_memory: bool = False) -> Tensor:
        """Return a copy in host memory; the tensor itself if it is there or has no memory."""
        if v.device is cpu or v.device.type == "meta":
            return v
        copy = no_record_ops.to_device(v, (cpu, False))
        return copy.pin_memory() if pin_memory else copy

    def from_host(self, v: Tensor, metadata: Any) -> Tensor:
        """Return a copy on the tensor's original device."""
        return no_record_ops.to_device(v, (metadata[2], False))

    def to_bytes(self, v: Tensor) -> memoryview:
        """Return the elements in row-major order."""
        plain = v if v.device is cpu else no_record_ops.to_device(v, (cpu, False))
        return _bytes_of(plain if layout_of_tensor(plain).is_contiguous else no_record_ops.clone(plain))

    def from_bytes(self, metadata: Any, fill: Callable[[memoryview], None]) -> Tensor:
        """Return a new tensor with these elements."""
        shape, dtype, device = metadata
        v = empty(shape, dtype=dtype, device=cpu)
        fill(_bytes_of(v))
        return v if device is cpu else no_record_ops.to_device(v, (device, False))

    def memory(self, v: Tensor) -> tuple[Storage, int]:
        """Return the storage that owns the buffer, and the bytes up to the tensor's last; all bytes if the
        storage is much larger."""
        storage = v._storage
        while isinstance(getattr(storage, "base", None), Storage):
            storage = storage.base
        shown, whole = v._offset + layout_of_tensor(v).extent, capacity(storage)
        # blocks are slightly larger than tensors
        return storage, whole if whole > shown + shown // 2 + 512 else shown

    def saved_values(self, node: Node) -> list[tuple[Any, bool]]:
        """Return a node's saved values: results, stored in parts, and those of operators with many operands."""
        found: list[tuple[Any, bool]] = []
        storage, layout = getattr(node, "s0", None), getattr(node, "s1", None)
        if isinstance(storage, Storage) and isinstance(layout, Layout):
            found.append((make(Tensor, layout, storage, node.v1), True))
        kept = getattr(node, "rest", None)
        if type(kept) is SavedTensors:
            found += [(value, False) for value in kept.values if isinstance(value, (Tensor, Packed))]
        return found

    def increment_version(self, v: Tensor) -> None:
        """Count a change, with the user's line as its call site."""
        check_writable("increment_version", v)
        mutated(v, "increment_version")

    def check_inplace(self, name: str, v: Tensor) -> None:
        """Raise if an in-place change cannot be recorded."""
        check_family(name, v)

    def rebase_history(self, v: Tensor, former: Any) -> None:
        """Update the nodes of the view family of a changed tensor."""
        rebase(v, former)

    def register_output(self, v: Tensor, out: Tensor) -> None:
        """Make a result that is a view join its view family, so that changes reach it."""
        if v is not out:
            v._viewed = out
        if hasattr(v, "_viewed"):
            register(v, v._viewed)

    def release_idle_memory(self) -> None:
        """Release idle blocks beyond the bound, and replaced blocks."""
        release_idle_memory()

    def save_random_state(self) -> Any:
        """Return the state of the default generators."""
        states = default_states()
        return lambda: repeating(states)

    def random_position(self) -> Hashable:
        """Return devices, seeds and offsets of the default generators."""
        return tuple(default_states().items())

    def skip_random(self, before: Any, after: Any) -> None:
        """Advance the default generators."""
        former = dict(before)
        for device, (seed, offset) in after:
            generator = default_generators[device]
            if former.get(device, (seed, 0))[0] == seed:
                generator.advance(offset - former.get(device, (seed, 0))[1])
            else:
                generator.set_state((seed, offset))

    def elements(self, v: Tensor) -> list[Any]:
        """Return all elements in row-major order as Python numbers."""
        return v.detach().reshape(-1).tolist()

    def from_elements(self, like: Tensor, elements: Sequence[Any]) -> Tensor:
        """Return a tensor like `like` with these elements."""
        return tensor(list(elements), dtype=like.dtype, device=like.device).reshape(like.shape)


register_adapter(Tensor, TensorAdapter())
