"""Names of PyTorch's torch.autograd, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from . import anomaly_mode as anomaly_mode
from . import forward_ad as forward_ad
from . import function as function
from . import functional as functional
from . import grad_mode as grad_mode
from . import graph as graph
from . import profiler as profiler
from . import profiler_legacy as profiler_legacy
from . import profiler_util as profiler_util
from . import variable as variable
from facula.autograd.gradcheck import gradcheck as gradcheck
from facula.autograd.gradcheck import gradgradcheck as gradgradcheck
from facula.autograd.variable import Variable as Variable
from facula_autograd import Function as Function
from facula_autograd import backward as backward
from facula_autograd import detect_anomaly as detect_anomaly
from facula_autograd import enable_grad as enable_grad
from facula_autograd import grad as grad
from facula_autograd import inference_mode as inference_mode
from facula_autograd import no_grad as no_grad
from facula_autograd import set_detect_anomaly as set_detect_anomaly
from facula_autograd import set_grad_enabled as set_grad_enabled
from facula_autograd import set_multithreading_enabled as set_multithreading_enabled
