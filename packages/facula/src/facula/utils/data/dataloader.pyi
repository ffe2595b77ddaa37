"""Names of PyTorch's torch.utils.data.dataloader, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._rare import DatasetKind as _DatasetKind
from facula._rare import InfiniteConstantSampler as _InfiniteConstantSampler
from facula.utils.data import DataLoader as DataLoader
from facula.utils.data import default_collate as default_collate
from facula.utils.data import default_convert as default_convert
from facula.utils.data import get_worker_info as get_worker_info
from facula_data.extend import Collate as _collate_fn_t
from facula_data.extend import InlinePass as _SingleProcessDataLoaderIter
from facula_data.extend import Pass as _BaseDataLoaderIter
from facula_data.extend import SharedPass as _MultiProcessingDataLoaderIter
