"""Names of PyTorch's torch.nn.attention.flex_attention, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn.attention.flex_attention import AuxOutput as AuxOutput
from facula_nn.attention.flex_attention import AuxRequest as AuxRequest
from facula_nn.attention.flex_attention import BlockMask as BlockMask
from facula_nn.attention.flex_attention import and_masks as and_masks
from facula_nn.attention.flex_attention import create_block_mask as create_block_mask
from facula_nn.attention.flex_attention import create_mask as create_mask
from facula_nn.attention.flex_attention import flex_attention as flex_attention
from facula_nn.attention.flex_attention import noop_mask as noop_mask
from facula_nn.attention.flex_attention import or_masks as or_masks
from facula_nn.extend import BLOCK_SIZE as _own_BLOCK_SIZE

_DEFAULT_SPARSE_BLOCK_SIZE = _own_BLOCK_SIZE
