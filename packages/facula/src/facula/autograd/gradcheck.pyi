"""Names of PyTorch's torch.autograd.gradcheck, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_autograd import GradcheckError as GradcheckError
from facula_autograd import gradcheck as gradcheck
from facula_autograd import gradgradcheck as gradgradcheck
