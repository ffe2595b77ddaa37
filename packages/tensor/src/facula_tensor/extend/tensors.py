"""Tensors and their parts, for packages that make, pickle or compare them.

- `snapshot` returns a tensor's state at one moment, `addressable` one with memory, `elements` one of a whole batch,
  `elements_of` the tensor of a storage's elements; `overlapping` finds two of many tensors that share memory, and
  `check_overlap` raises an error if the tensor to write shares memory with itself or operands.
- `block_under` returns the memory that is pickled with a tensor, `attributes` the attributes that a user stored on it,
  and `as_class` converts a tensor to an instance of a class with attributes.
- `free_memory` and `take_memory` free the memory of a tensor for a time; `empty_shared` allocates shared memory,
  `tensors_at` returns tensors at places of it.
- `register_reductions` makes tensors sent to other processes share their memory.
- `zero_grad_` resets the gradient of a tensor in place.
"""

from facula_errors.extend import imported_later

from .._core.memory import check_overlap, overlapping
from .._core.resizing import free_memory, take_memory, tensors_at
from .._core.tensor import addressable, elements, layout_of_tensor, make, method, snapshot
from .._interop.pickling import as_class, attributes, block_under
from .._interop.shared_memory import empty_shared, register_reductions
from .._interop.untyped_storage import elements_of
from ..ops.memory.detach import zero_grad_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._interop.repr import elements_as_text

__all__ = [
    "addressable",
    "as_class",
    "attributes",
    "block_under",
    "check_overlap",
    "elements",
    "elements_as_text",
    "elements_of",
    "empty_shared",
    "free_memory",
    "layout_of_tensor",
    "make",
    "method",
    "overlapping",
    "register_reductions",
    "snapshot",
    "take_memory",
    "tensors_at",
    "zero_grad_",
]

__getattr__ = imported_later(__name__, {".._interop.repr": ("elements_as_text",)})

# Private attributes that siblings may use: on these paths a call would cost more than the work that it does.
SIBLING_ATTRIBUTES = {
    "_layout": "a tensor's Layout; written with `_storage` and `_offset`, with no call in between",
    "_storage": "a tensor's Storage; only the owner of a tensor that no program has yet may write it",
    "_offset": "the position of a tensor's first element, in bytes; of a Generator: the count of numbers drawn",
    "_key": "the seed of a Generator; captures restore it, with `_offset`",
    "_own_attributes": "the dict of the attributes that a program set on a tensor, None before the first; read only",
    "_viewed": "the tensor that a new view is one of; set once, by the code that makes the view",
    "_version": "the number of in-place changes, None for read-only memory; read only, a name of PyTorch's",
}
