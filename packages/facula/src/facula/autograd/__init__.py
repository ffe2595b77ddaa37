"""facula.autograd: backward passes, custom functions, checks. The names of facula_autograd, where PyTorch has them.

May import: siblings. Where next: `functional.py` (derivatives of functions), `function.py`, `graph.py`.
"""

from typing import TYPE_CHECKING

from facula_autograd import (
    Function,
    backward,
    detect_anomaly,
    enable_grad,
    grad,
    inference_mode,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
    set_multithreading_enabled,
)

from .._names import publish
from . import function
from .gradcheck import gradcheck, gradgradcheck

if TYPE_CHECKING:
    from . import anomaly_mode as anomaly_mode
    from . import forward_ad as forward_ad
    from . import functional as functional
    from . import grad_mode as grad_mode
    from . import graph as graph
    from . import profiler as profiler
    from . import variable as variable
    from .variable import Variable as Variable

__all__ = [
    "Function", "Variable", "anomaly_mode", "backward", "detect_anomaly", "enable_grad", "forward_ad", "function",
    "functional", "grad", "grad_mode", "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "profiler",
    "set_detect_anomaly", "set_grad_enabled", "set_multithreading_enabled", "variable",
]  # fmt: skip

publish(
    __name__,
    "function",
    later=("anomaly_mode", "forward_ad", "functional", "grad_mode", "graph", "profiler", "variable"),
    lazily={"variable": "Variable"},
)
