"""Names of PyTorch's torch.functional, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_tensor import atleast_1d as atleast_1d
from facula_tensor import atleast_2d as atleast_2d
from facula_tensor import atleast_3d as atleast_3d
from facula_tensor import block_diag as block_diag
from facula_tensor import broadcast_shapes as broadcast_shapes
from facula_tensor import broadcast_tensors as broadcast_tensors
from facula_tensor import cartesian_prod as cartesian_prod
from facula_tensor import cdist as cdist
from facula_tensor import chain_matmul as chain_matmul
from facula_tensor import einsum as einsum
from facula_tensor import lu as lu
from facula_tensor import meshgrid as meshgrid
from facula_tensor import norm as norm
from facula_tensor import split as split
from facula_tensor import tensordot as tensordot
from facula_tensor import unique as unique
from facula_tensor import unique_consecutive as unique_consecutive
from facula_tensor import unravel_index as unravel_index
