"""facula.autograd: backward passes, custom functions, checks. The names of facula_autograd, at PyTorch's places.

May import: siblings. Where next: `function.py`, `gradcheck.py`, `variable.py`; `functional`, `graph` and other modules
are sections of `_places.txt`.
"""

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

from .._lookup.names import publish
from . import function
from .gradcheck import gradcheck, gradgradcheck

publish(
    __name__,
    "function",
    later=("anomaly_mode", "forward_ad", "functional", "grad_mode", "graph", "profiler", "variable"),
    lazily={"variable": "Variable"},
)
