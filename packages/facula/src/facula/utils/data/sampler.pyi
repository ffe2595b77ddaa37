"""Names of PyTorch's torch.utils.data.sampler, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.utils.data import BatchSampler as BatchSampler
from facula.utils.data import RandomSampler as RandomSampler
from facula.utils.data import Sampler as Sampler
from facula.utils.data import SequentialSampler as SequentialSampler
from facula.utils.data import SubsetRandomSampler as SubsetRandomSampler
from facula.utils.data import WeightedRandomSampler as WeightedRandomSampler
