"""Names of PyTorch's torch.func, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn.extend import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
from facula_nn.utils.stateless import functional_call as functional_call
from facula_nn.utils.stateless import stack_module_state as stack_module_state
from facula_tensor.func import debug_unwrap as debug_unwrap
from facula_tensor.func import functionalize as functionalize
from facula_tensor.func import grad as grad
from facula_tensor.func import grad_and_value as grad_and_value
from facula_tensor.func import hessian as hessian
from facula_tensor.func import jacfwd as jacfwd
from facula_tensor.func import jacrev as jacrev
from facula_tensor.func import jvp as jvp
from facula_tensor.func import linearize as linearize
from facula_tensor.func import value_and_grad as value_and_grad
from facula_tensor.func import vjp as vjp
from facula_tensor.func import vmap as vmap
