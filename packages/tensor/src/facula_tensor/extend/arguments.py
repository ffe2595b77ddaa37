"""Checks and types of arguments, and the defaults that stand in for missing ones.

- `refuse_unless` raises if a tensor of bools contains False, and reads elements only in that case.
- `TensorType` is the metaclass of `FloatTensor` and similar classes; `dtype_of_type` and `device_type_of` return the
  dtype and the device type of such a class.
- `relabel` replaces the name at the beginning of an error.
- `default_dtype_cell` is a list that contains the default dtype, `default_device_cell` one that contains the CPU while
  it is the default device of all threads. `other_defaults` is not empty while a thread may have another one.
"""

from facula_errors.extend import imported_later

from .._core.default_device import default_device_cell, other_defaults
from .._core.errors import relabel
from .._core.promotion import _default as default_dtype_cell
from .._core.promotion import accumulating, as_real, floating
from .._core.tensor import check_dim
from .._dispatch.value_checks import refuse_unless
from .._interop.typed import TensorType, device_type_of, dtype_of_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._core.types import Data as Data
    from .._core.types import DeviceLike as DeviceLike
    from .._core.types import DTypeLike as DTypeLike
    from .._core.types import MemoryFormat as MemoryFormat
    from .._core.types import Scalar as Scalar
    from ..ops.neural.losses.regression import reduction_of

__all__ = [
    "TensorType",
    "accumulating",
    "as_real",
    "check_dim",
    "default_device_cell",
    "default_dtype_cell",
    "device_type_of",
    "dtype_of_type",
    "floating",
    "other_defaults",
    "reduction_of",
    "refuse_unless",
    "relabel",
]

__getattr__ = imported_later(__name__, {"..ops.neural.losses.regression": ("reduction_of",)})
