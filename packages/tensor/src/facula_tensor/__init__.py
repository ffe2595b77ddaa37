"""facula_tensor: the Tensor and its operators, differentiable, on any backend.

What it is: `Tensor`, operators declared once each (`ops/`, a file a family), creation, indexing, random numbers.
May import: facula_storage, facula_autograd, facula_cpu; no module of theirs but the package and its `extend`.
Where next: `ops/arithmetic.py` for what an operator is, `_quick.py` for what a call does, `_general.py` for the
rest of it; `extend.py` is for sibling packages.
"""

from facula_autograd import (
    Function,
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from facula_cpu import CpuBackend, get_num_threads, set_num_threads
from facula_storage import (
    Device as device,
)
from facula_storage import (
    DType as dtype,
)
from facula_storage import (
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from facula_storage import (
    bool_ as bool,
)

from . import _adapter as _adapter
from . import _startup as _startup
from ._creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_dlpack,
    from_numpy,
    frombuffer,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    tensor,
    zeros,
    zeros_like,
)
from . import _indexing as _indexing
from ._promotion import can_cast, get_default_dtype, promote_types, result_type, set_default_dtype
from ._random import (
    Generator,
    bernoulli,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    randperm,
    seed,
    set_rng_state,
)
from . import _repr as _repr
from ._tensor import Parameter, Size, Tensor
from ._values import is_tensor
from .ops.arithmetic import abs, add, div, maximum, minimum, mul, neg, pow, sign, sub
from .ops.comparison import eq, ge, gt, le, lt, ne
from .ops.copying import clone, where
from .ops.join import cat, stack
from .ops.matmul import bmm, dot, matmul, mm, mv
from .ops.pointwise import (
    cos,
    exp,
    expm1,
    log,
    log1p,
    reciprocal,
    relu,
    rsqrt,
    sigmoid,
    sin,
    sqrt,
    tanh,
)
from .ops.reduction import all, amax, amin, any, argmax, argmin, max, mean, min, sum
from .ops.shape import (
    as_strided,
    broadcast_to,
    chunk,
    flatten,
    movedim,
    narrow,
    permute,
    reshape,
    select,
    split,
    squeeze,
    t,
    transpose,
    unbind,
    unsqueeze,
)
from .ops.softmax import log_softmax, softmax

__version__ = "0.1.0"
