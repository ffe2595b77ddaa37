"""Properties and predicates that programs check before they use a tensor: device, kind, equality of layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, OperationError
from facula_errors.extend import boundary
from facula_storage import bool_, uint8

from .._core.tensor import Tensor, layout_of_tensor, method, snapshot
from .._dispatch.overrides import overridable
from .._dispatch.slow_path.operands import describe
from .._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    pass


def _always(name: str, doc: str) -> None:
    """Return a property that is False for every tensor."""

    def answer(self: Tensor) -> bool:
        return False

    answer.__name__ = name
    answer.__doc__ = doc
    setattr(Tensor, name, property(answer, doc=doc))


for _name, _what in {
    "is_ipu": "on a Graphcore device",
    "is_maia": "on a Maia device",
    "is_mkldnn": "in oneDNN's own layout",
    "is_mps": "on an Apple GPU",
    "is_mtia": "on an MTIA device",
    "is_nested": "a nested tensor",
    "is_quantized": "quantised",
    "is_sparse": "sparse",
    "is_sparse_csr": "sparse, by compressed rows",
    "is_vulkan": "on a Vulkan device",
    "is_xla": "on an XLA device",
    "is_xpu": "on an Intel GPU",
}.items():
    _always(_name, f"Whether this tensor is {_what}: False, since none is here.")


def is_cpu(self: Tensor) -> bool:
    """Whether the elements are in host memory."""
    return layout_of_tensor(self).device.type == "cpu"


def output_nr(self: Tensor) -> int:
    """0, whichever result of its node this tensor is."""
    return 0


for _property in (is_cpu, output_nr):
    setattr(Tensor, _property.__name__, property(_property))


@overridable
@method()
@boundary
def is_nonzero(input: Tensor) -> bool:
    """Return whether the element is nonzero; ValueError unless there is exactly one.

    >>> from facula_tensor import tensor
    >>> is_nonzero(tensor([0.0]))
    False
    """
    input = as_tensor("is_nonzero", input)
    if input.numel() != 1:
        raise ArgumentError(f"is_nonzero: expected one element; got {describe(input)}; use .any() or .all()")
    return bool(input.item())


@overridable
@method()
@boundary
def is_signed(input: Tensor) -> bool:
    """Return whether the dtype has negative numbers."""
    return layout_of_tensor(as_tensor("is_signed", input)).dtype not in (bool_, uint8)


@overridable
@method()
@boundary
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape."""
    first, second = (layout_of_tensor(as_tensor("is_same_size", tensor)).shape for tensor in (input, other))
    return first == second


@method()
@boundary
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Return whether another tensor is the same view of the same memory."""
    first, second = snapshot(self), snapshot(as_tensor("is_set_to", tensor))
    same = first._storage is second._storage or (first._storage.ptr and first._storage.ptr == second._storage.ptr)
    return bool(same) and first._offset == second._offset and first._layout == second._layout


@overridable
@method()
@boundary
def is_inference(input: Tensor) -> bool:
    """Return False: tensors made in `inference_mode` are ordinary tensors."""
    as_tensor("is_inference", input)
    return False


@overridable
@method()
@boundary
def get_device(input: Tensor) -> int:
    """Return the number of the CUDA device; -1 for tensors in host memory.

    >>> from facula_tensor import ones
    >>> get_device(ones(1))
    -1
    """
    device = layout_of_tensor(as_tensor("get_device", input)).device
    return -1 if device.type in ("cpu", "meta") or device.index is None else device.index


@method()
@boundary
def const_data_ptr(self: Tensor) -> int:
    """Return the address of the first element, for reading."""
    return self.data_ptr()


@method()
@boundary
def dim_order(self: Tensor, *, ambiguity_check: bool = False) -> tuple[int, ...]:
    """Return the dimensions sorted by stride, the largest first.

    RuntimeError with `ambiguity_check` if several orders are possible.

    >>> from facula_tensor import ones
    >>> ones(2, 3).t().dim_order()
    (1, 0)
    """
    layout = layout_of_tensor(as_tensor("dim_order", self))
    order = sorted(range(len(layout.shape)), key=lambda i: -layout.strides[i])
    if ambiguity_check and (
        len(set(layout.strides)) != len(layout.strides) or any([size <= 1 for size in layout.shape])
    ):
        raise OperationError(
            f"dim_order: expected one order of dimensions; got shape {layout.shape} and strides {layout.strides}, "
            "of which several may be"
        )
    return tuple(order)
