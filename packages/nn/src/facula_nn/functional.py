"""Neural network operators as functions, with the names and arguments of `torch.nn.functional`.

`facula_tensor.functional` defines the operators; the functions defined here are written in terms of these.
"""

# ruff: noqa: F403
from __future__ import annotations

from facula_errors.extend import published
from facula_tensor import functional as _networks
from facula_tensor.extend.overriding import make_overridable
from facula_tensor.functional import *

from ._fractional_pooling import fractional_max_pool2d as fractional_max_pool2d
from ._fractional_pooling import fractional_max_pool2d_with_indices as fractional_max_pool2d_with_indices
from ._fractional_pooling import fractional_max_pool3d as fractional_max_pool3d
from ._fractional_pooling import fractional_max_pool3d_with_indices as fractional_max_pool3d_with_indices
from ._multi_head import multi_head_attention_forward as multi_head_attention_forward

_names = [
    *_networks.__all__, "fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices", "multi_head_attention_forward",
]  # fmt: skip
globals()["__all__"] = _names  # hidden from type checkers, which reject a computed list and use the imports

__dir__ = published(__name__)

make_overridable(globals(), _names)
