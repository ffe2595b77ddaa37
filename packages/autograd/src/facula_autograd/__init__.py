"""facula_autograd: reverse-mode differentiation of any Python values.

Independent of arrays and tensors; imports only the standard library and facula_errors. In order of dependence:
`_adapters.py` (one adapter per type of value), `_modes`, `_graph` (the recorded graph), `_engine` (the backward pass),
`_value.py` (the base class of values), `_saved_values` (including checkpoints), `_function` (custom operators),
`_gradcheck`, `_numpy` (`Variable`), `_reports`. Start with `_graph/node.py`, then `_engine/engine.py`.
Packages that define differentiable values use `extend`, and no name that starts with an underscore. `graph.py` and
`func.py` are public modules that must be imported explicitly.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from ._engine.anomaly import detect_anomaly, set_detect_anomaly
from ._engine.backward import backward, grad
from ._errors import (
    AnomalyError,
    AutogradError,
    CheckpointError,
    FreedGraphError,
    GradcheckError,
    GradientError,
    MutationError,
    RecomputationError,
)
from ._function.function import Function, once_differentiable
from ._gradcheck.check import gradcheck, gradgradcheck
from ._modes.grad_mode import (
    enable_grad,
    inference_mode,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    saved_tensors_hooks,
    set_grad_enabled,
    set_multithreading_enabled,
)
from ._numpy import operators as _operators  # noqa: F401  # adds the methods of Variable
from ._numpy.variable import Variable
from ._saved_values.checkpoint import (
    checkpoint,
    checkpoint_sequential,
    noop_context_fn,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from ._saved_values.selective_checkpoint import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)

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
    "RecomputationError",
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
