"""Names of PyTorch's torch.distributed.tensor, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributed.tensor import DTensor as DTensor
from facula_distributed.tensor import DeviceMesh as DeviceMesh
from facula_distributed.tensor import Partial as Partial
from facula_distributed.tensor import Placement as Placement
from facula_distributed.tensor import Replicate as Replicate
from facula_distributed.tensor import Shard as Shard
from facula_distributed.tensor import distribute_module as distribute_module
from facula_distributed.tensor import distribute_tensor as distribute_tensor
from facula_distributed.tensor import empty as empty
from facula_distributed.tensor import full as full
from facula_distributed.tensor import init_device_mesh as init_device_mesh
from facula_distributed.tensor import ones as ones
from facula_distributed.tensor import rand as rand
from facula_distributed.tensor import randn as randn
from facula_distributed.tensor import zeros as zeros
