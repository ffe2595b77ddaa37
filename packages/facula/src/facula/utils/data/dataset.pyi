"""Names of PyTorch's torch.utils.data.dataset, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.utils.data import ChainDataset as ChainDataset
from facula.utils.data import ConcatDataset as ConcatDataset
from facula.utils.data import Dataset as Dataset
from facula.utils.data import IterableDataset as IterableDataset
from facula.utils.data import StackDataset as StackDataset
from facula.utils.data import Subset as Subset
from facula.utils.data import TensorDataset as TensorDataset
from facula.utils.data import random_split as random_split
