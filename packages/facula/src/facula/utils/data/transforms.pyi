"""Names of PyTorch's torch.utils.data.transforms, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_data import FilterIterable as FilterIterable
from facula_data import MapDataset as MapDataset
from facula_data import MapIterable as MapIterable
from facula_data.transforms import CenterCrop as CenterCrop
from facula_data.transforms import Compose as Compose
from facula_data.transforms import Normalize as Normalize
from facula_data.transforms import Pad as Pad
from facula_data.transforms import RandomCrop as RandomCrop
from facula_data.transforms import RandomHorizontalFlip as RandomHorizontalFlip
from facula_data.transforms import RandomResizedCrop as RandomResizedCrop
from facula_data.transforms import RandomVerticalFlip as RandomVerticalFlip
from facula_data.transforms import Resize as Resize
from facula_data.transforms import ToCHW as ToCHW
from facula_data.transforms import ToFloat as ToFloat
from facula_data.transforms import sample_rng as sample_rng
