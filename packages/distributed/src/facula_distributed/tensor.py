"""Distributed tensors, under the names of torch.distributed.tensor."""

from facula_errors.extend import published as _published

from ._dtensor import neural_rules as _neural_rules  # noqa: F401  # registers rules
from ._dtensor import view_rules as _view_rules  # noqa: F401
from ._dtensor.distribute import distribute_module, distribute_tensor
from ._dtensor.dtensor import DTensor
from ._dtensor.factories import empty, full, ones, rand, randn, zeros
from ._dtensor.mesh import DeviceMesh, init_device_mesh
from ._dtensor.placements import Partial, Placement, Replicate, Shard

__all__ = [
    "DTensor", "DeviceMesh", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor",
    "empty", "full", "init_device_mesh", "ones", "rand", "randn", "zeros",
]  # fmt: skip

__dir__ = _published(__name__)
