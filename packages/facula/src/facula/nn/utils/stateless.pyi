"""Names of PyTorch's torch.nn.utils.stateless, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn.utils.stateless import functional_call as functional_call
from facula_nn.utils.stateless import stack_module_state as stack_module_state
