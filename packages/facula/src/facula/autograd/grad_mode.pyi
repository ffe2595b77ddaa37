"""Names of PyTorch's torch.autograd.grad_mode, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_autograd import enable_grad as enable_grad
from facula_autograd import inference_mode as inference_mode
from facula_autograd import no_grad as no_grad
from facula_autograd import set_grad_enabled as set_grad_enabled
from facula_autograd import set_multithreading_enabled as set_multithreading_enabled
