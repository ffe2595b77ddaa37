"""Names of PyTorch's torch.utils.data.files, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_data import CorruptFileError as CorruptFileError
from facula_data.files import CIFAR10 as CIFAR10
from facula_data.files import CIFAR100 as CIFAR100
from facula_data.files import CSVFile as CSVFile
from facula_data.files import DECODERS as DECODERS
from facula_data.files import DatasetFolder as DatasetFolder
from facula_data.files import FashionMNIST as FashionMNIST
from facula_data.files import IMG_EXTENSIONS as IMG_EXTENSIONS
from facula_data.files import ImageFolder as ImageFolder
from facula_data.files import KMNIST as KMNIST
from facula_data.files import MNIST as MNIST
from facula_data.files import MemoryMapped as MemoryMapped
from facula_data.files import ParquetFile as ParquetFile
from facula_data.files import TarShards as TarShards
from facula_data.files import TokenFile as TokenFile
from facula_data.files import decode_image as decode_image
from facula_data.files import decode_npy as decode_npy
from facula_data.files import decode_text as decode_text
from facula_data.files import read_idx as read_idx
