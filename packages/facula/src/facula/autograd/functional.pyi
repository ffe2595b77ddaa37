"""Names of PyTorch's torch.autograd.functional, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_tensor.derivatives import hessian as hessian
from facula_tensor.derivatives import hvp as hvp
from facula_tensor.derivatives import jacobian as jacobian
from facula_tensor.derivatives import jvp as jvp
from facula_tensor.derivatives import vhp as vhp
from facula_tensor.derivatives import vjp as vjp
