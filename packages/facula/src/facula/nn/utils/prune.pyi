"""Names of PyTorch's torch.nn.utils.prune, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn.utils.prune import BasePruningMethod as BasePruningMethod
from facula_nn.utils.prune import CustomFromMask as CustomFromMask
from facula_nn.utils.prune import Identity as Identity
from facula_nn.utils.prune import L1Unstructured as L1Unstructured
from facula_nn.utils.prune import LnStructured as LnStructured
from facula_nn.utils.prune import PruningContainer as PruningContainer
from facula_nn.utils.prune import RandomStructured as RandomStructured
from facula_nn.utils.prune import RandomUnstructured as RandomUnstructured
from facula_nn.utils.prune import custom_from_mask as custom_from_mask
from facula_nn.utils.prune import global_unstructured as global_unstructured
from facula_nn.utils.prune import identity as identity
from facula_nn.utils.prune import is_pruned as is_pruned
from facula_nn.utils.prune import l1_unstructured as l1_unstructured
from facula_nn.utils.prune import ln_structured as ln_structured
from facula_nn.utils.prune import random_structured as random_structured
from facula_nn.utils.prune import random_unstructured as random_unstructured
from facula_nn.utils.prune import remove as remove
