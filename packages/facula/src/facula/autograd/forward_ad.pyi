"""Names of PyTorch's torch.autograd.forward_ad, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_tensor.forward_ad import UnpackedDualTensor as UnpackedDualTensor
from facula_tensor.forward_ad import dual_level as dual_level
from facula_tensor.forward_ad import enter_dual_level as enter_dual_level
from facula_tensor.forward_ad import exit_dual_level as exit_dual_level
from facula_tensor.forward_ad import make_dual as make_dual
from facula_tensor.forward_ad import unpack_dual as unpack_dual
