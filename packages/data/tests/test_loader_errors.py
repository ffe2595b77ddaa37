"""Errors of the loader about samples, streams and arguments."""

import numpy as np
import pytest
from data_helpers import Stream

from facula_data import (
    CollateError,
    DataLoader,
    Dataset,
    IterableDataset,
    TensorDataset,
)
from facula_errors.testing import raises


def batches(loader):
    return [batch.tolist() for batch in loader]


def indices(loader):
    return [index for batch in loader for index in batch.tolist()]


def test_errors_name_the_index_of_a_different_shape():
    samples = [np.zeros((3, 4)) for _ in range(10)]
    samples[7] = np.zeros((3, 5))
    message = "(3, 4) in sample 4 ... (position 0 of the batch) and (3, 5) in sample 7 ... (position 3 of the batch)"
    with raises(CollateError, "default_collate", value=message) as caught:
        list(DataLoader(samples, batch_size=4))
    assert caught.value.indices == [4, 5, 6, 7]

    class Ragged(IterableDataset):
        def __iter__(self):
            return iter(samples)

    with raises(CollateError, "default_collate", "sample 7 of the dataset"):
        list(DataLoader(Ragged(), batch_size=4))


class Broken(Dataset):
    def __init__(self, error):
        self.error = error

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if index == 3:
            raise self.error
        return index


@pytest.mark.parametrize("size", [2, None])
def test_an_exception_notes_the_index(size):
    running = iter(DataLoader(Broken(OSError("truncated file")), batch_size=size))
    with pytest.raises(OSError, match="truncated file") as caught:
        list(running)
    assert caught.value.__notes__ == ["DataLoader: raised by Broken.__getitem__(3)"]


def test_after_an_exception_the_pass_continues_and_the_state_does_not():
    loader = DataLoader(Broken(OSError("truncated")), batch_size=2)
    running = iter(loader)
    next(running)
    with pytest.raises(OSError, match="truncated"):
        next(running)
    assert loader.state_dict()["position"] == 2
    assert next(running).tolist() == [4, 5]
    assert loader.state_dict()["position"] == 6
    assert loader.state_dict()["skipped"] == [[2, 4]]


@pytest.mark.parametrize("size", [2, None])
def test_stopiteration_does_not_end_an_epoch(size):
    with raises(RuntimeError, "DataLoader", "raised StopIteration") as caught:
        list(DataLoader(Broken(StopIteration()), batch_size=size))
    assert "__getitem__(3)" in caught.value.__cause__.__notes__[0]


def test_collate_fn_notes_the_samples():
    with pytest.raises(ZeroDivisionError) as caught:
        list(DataLoader(range(20), batch_size=10, collate_fn=lambda samples: 1 / (9 not in samples)))
    expected = "while collating the samples [0, 1, 2, 3, 4, 5, 6, 7, … (10 in all)] of the dataset"
    assert expected in caught.value.__notes__[0]


def test_getitems_notes_the_samples():
    class Many(Broken):
        def __getitems__(self, indices):
            if isinstance(self.error, int):
                return [0] * self.error
            raise self.error

    with pytest.raises(OSError, match="gone") as caught:
        list(DataLoader(Many(OSError("gone")), batch_size=2))
    assert "Many.__getitems__([0, 1])" in caught.value.__notes__[0]
    with raises(ValueError, "DataLoader", "a sample for each index", value="1 for 2 indices ([0, 1])"):
        list(DataLoader(Many(1), batch_size=2))


def test_a_stream_notes_the_sample():
    class Torn(IterableDataset):
        def __iter__(self):
            yield from range(5)
            raise OSError("connection lost")

    loader = DataLoader(Torn(), batch_size=2)
    running = iter(loader)
    with pytest.raises(OSError, match="connection lost") as caught:
        list(running)
    assert "iterator of Torn at sample 5" in caught.value.__notes__[0]
    assert next(running, None) is None
    assert loader.state_dict()["epoch"] == 0
    assert loader.state_dict()["position"] == 4


def test_an_index_beyond_the_dataset():
    with pytest.raises(IndexError) as caught:
        list(DataLoader([5, 6, 7], sampler=[0, 12]))
    assert "beyond the dataset's 3 samples" in caught.value.__notes__[0]
    assert "__getitem__(12)" in caught.value.__notes__[0]
    with raises(IndexError, "TensorDataset", "from -3 to 2", value=12):
        list(DataLoader(TensorDataset(np.zeros(3)), sampler=[0, 12], batch_size=2))


def test_a_batch_of_no_samples():
    for data in (TensorDataset(np.zeros(3)), [1, 2]):
        with raises(ValueError, "default_collate", "at least one sample", value="none"):
            list(DataLoader(data, batch_sampler=[[]]))


def test_nothing_to_read():
    assert list(DataLoader([])) == []
    with raises(ValueError, "DataLoader", "at least one sample to shuffle", value="an empty dataset"):
        DataLoader([], shuffle=True)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"batch_size": 0}, ValueError, "batch_size=0"),
        ({"batch_size": 2.0}, ValueError, "batch_size=2.0"),
        ({"shuffle": 1}, TypeError, "shuffle=1"),
        ({"drop_last": "yes"}, TypeError, "drop_last='yes'"),
        ({"shuffle": True, "sampler": [0]}, ValueError, "sampler already determines the order; got shuffle=True"),
        ({"batch_sampler": [[0]], "batch_size": 2}, ValueError, "already determines the batches; got batch_size=2"),
        ({"batch_sampler": [[0]], "shuffle": True}, ValueError, "got shuffle=True"),
        ({"batch_sampler": [[0]], "sampler": [0]}, ValueError, "got sampler=[0]"),
        ({"batch_sampler": [[0]], "drop_last": True}, ValueError, "got drop_last=True"),
        ({"batch_size": None, "drop_last": True}, ValueError, "drop_last=True with batch_size=None"),
        ({"sampler": 3}, TypeError, "sampler=3"),
        ({"batch_sampler": 3}, TypeError, "batch_sampler=3"),
        ({"collate_fn": 3}, TypeError, "collate_fn=3"),
        ({"convert": "numpy"}, TypeError, "convert='numpy'"),
        ({"generator": "0"}, TypeError, "generator ... got '0'"),
        ({"num_workers": -1}, ValueError, "num_workers=-1"),
        ({"timeout": 5}, ValueError, "timeout=5"),
        ({"prefetch_factor": 2}, ValueError, "prefetch_factor=2"),
        ({"persistent_workers": True}, ValueError, "persistent_workers=True"),
    ],
    ids=repr,
)
def test_wrong_arguments_are_named(arguments, error, message):
    with raises(error, "DataLoader", message):
        DataLoader([1, 2, 3], **arguments)


@pytest.mark.parametrize(
    "arguments", [{"shuffle": True}, {"sampler": [0]}, {"batch_sampler": [[0]]}], ids=lambda a: next(iter(a))
)
def test_a_stream_has_its_own_order(arguments):
    with raises(ValueError, "DataLoader", "an IterableDataset has its own order"):
        DataLoader(Stream(3), **arguments)


def test_objects_that_are_not_datasets():
    with raises(TypeError, "DataLoader", "wrap it in an IterableDataset", value="generator"):
        DataLoader(x for x in range(3))
    with raises(TypeError, "DataLoader", value="int"):
        DataLoader(3)

    class Endless:
        def __getitem__(self, index):
            return index

    with raises(TypeError, "DataLoader", "with __len__, or a sampler", value="Endless"):
        DataLoader(Endless())
    assert batches(DataLoader(Endless(), batch_size=2, sampler=[4, 5])) == [[4, 5]]
    with raises(TypeError, "DataLoader", "Stream has no length"):
        len(DataLoader(Stream(3, sized=False)))


def test_fixed_attributes_cannot_be_set():
    loader = DataLoader(range(3))
    with raises(AttributeError, "DataLoader", "batch_size cannot be changed"):
        loader.batch_size = 2
    loader.collate_fn = len
    assert list(loader) == [1, 1, 1]
