"""Datasets and arrays for the tests."""

import numpy as np

from facula_data import Dataset, IterableDataset


class Plain(Dataset):
    """The samples of another dataset, without its quick methods."""

    def __init__(self, dataset):
        self.dataset = dataset

    def __getitem__(self, index):
        assert type(index) is int, f"a dataset gets Python's integers; got {type(index)}"
        return self.dataset[index]

    def __len__(self):
        return len(self.dataset)


class Stream(IterableDataset):
    """A stream of 0, 1, 2, … that counts how often it was started."""

    def __init__(self, count, sized=True):
        self.count, self.sized, self.begun = count, sized, 0

    def __iter__(self):
        self.begun += 1
        return iter(range(self.count))

    def __len__(self):
        if not self.sized:
            raise TypeError("endless for all it knows")
        return self.count


class Exported:
    """An array that other libraries can access only through DLPack, like some tensors."""

    def __init__(self, array):
        self._array = array
        self.shape, self.dtype = array.shape, array.dtype

    def __getitem__(self, index):
        return Exported(np.asarray(self._array[index]))

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def assert_alike(ours, theirs):
    """Assert equal nested containers of the same types, with arrays of the same dtype, shape and contents."""
    assert type(ours) is type(theirs)
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys()
        ours, theirs = list(ours.values()), list(theirs.values())
    if isinstance(ours, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_array_equal(ours, theirs)
        assert ours.flags.c_contiguous
        assert theirs.flags.c_contiguous
    elif isinstance(ours, (list, tuple)):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_alike(one, other)
    else:
        assert ours == theirs
