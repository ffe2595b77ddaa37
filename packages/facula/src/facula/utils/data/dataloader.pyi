"""Names of PyTorch's torch.utils.data.dataloader, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._functions.rare import DatasetKind as _own_DatasetKind
from facula._functions.rare import InfiniteConstantSampler as _own_InfiniteConstantSampler
from facula.utils.data import DataLoader as DataLoader
from facula.utils.data import default_collate as default_collate
from facula.utils.data import default_convert as default_convert
from facula.utils.data import get_worker_info as get_worker_info
from facula_data.extend import Collate as _own_Collate
from facula_data.extend import InlinePass as _own_InlinePass
from facula_data.extend import Pass as _own_Pass
from facula_data.extend import SharedPass as _own_SharedPass

_BaseDataLoaderIter = _own_Pass
_MultiProcessingDataLoaderIter = _own_SharedPass
_SingleProcessDataLoaderIter = _own_InlinePass
_collate_fn_t = _own_Collate
_DatasetKind = _own_DatasetKind
_InfiniteConstantSampler = _own_InfiniteConstantSampler
