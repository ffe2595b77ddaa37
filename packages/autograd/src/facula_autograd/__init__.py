"""facula_autograd: reverse-mode differentiation of any Python values.

Knows nothing of arrays or tensors, and imports nothing but the standard library and facula_errors. Start reading
at `_graph.py` (what is recorded), then `_engine.py` (the backward pass). Packages that define
differentiable values use `extend.py`, and nothing that starts with an underscore. `graph.py` and `func.py` are public
modules, loaded where they are imported.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from . import _operators as _operators  # what Variables do
from ._anomaly import detect_anomaly, set_detect_anomaly
from ._backward import backward, grad
from ._checkpoint import (
    checkpoint,
    checkpoint_sequential,
    noop_context_fn,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from ._checkpoint_policies import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)
from ._errors import (
    AnomalyError,
    AutogradError,
    CheckpointError,
    FreedGraphError,
    GradcheckError,
    GradientError,
    MutationError,
)
from ._function import Function, once_differentiable
from ._gradcheck import gradcheck, gradgradcheck
from ._graph_functions import set_multithreading_enabled
from ._modes import (
    enable_grad,
    inference_mode,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    saved_tensors_hooks,
    set_grad_enabled,
)
from ._variable import Variable

_register("facula_autograd")

__all__ = [
    "SAC_IGNORED_OPS",
    "AnomalyError",
    "AutogradError",
    "CheckpointError",
    "CheckpointPolicy",
    "FreedGraphError",
    "Function",
    "GradcheckError",
    "GradientError",
    "MutationError",
    "SelectiveCheckpointContext",
    "Variable",
    "backward",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "noop_context_fn",
    "once_differentiable",
    "saved_tensors_hooks",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


__dir__ = _published(__name__)
