"""facula.utils.data: facula_data's names, with tensor batches and facula's seed."""

import ast
import importlib
import inspect
from pathlib import Path

import numpy
import pytest

import facula
import facula_data
from facula.utils.data import DataLoader, Dataset, TensorDataset, default_collate, default_convert, random_split
from facula_errors.testing import raises


def test_the_names_are_those_of_facula_data():
    assert set(facula.utils.data.__all__) == {*facula_data.__all__, "distributed"}
    for name in ("files", "transforms"):
        module, source = (importlib.import_module(f"{place}.{name}") for place in ("facula.utils.data", "facula_data"))
        assert module is getattr(facula.utils.data, name)
        assert {one: getattr(module, one) for one in module.__all__} == {
            one: getattr(source, one) for one in source.__all__
        }
    own = {name for name in facula_data.__all__ if getattr(facula.utils.data, name) is not getattr(facula_data, name)}
    assert own == {"DataLoader", "default_collate", "default_convert"}
    assert issubclass(DataLoader, facula_data.DataLoader)


class Pairs(Dataset):
    def __len__(self):
        return 5

    def __getitem__(self, index):
        return {"x": numpy.full(2, index, dtype="float32"), "y": index}


@pytest.mark.parametrize("collate", [None, default_collate])
def test_batches_are_tensors(collate):
    batches = list(DataLoader(Pairs(), batch_size=2, collate_fn=collate))
    assert [batch["y"].tolist() for batch in batches] == [[0, 1], [2, 3], [4]]
    assert all(type(part) is facula.Tensor for batch in batches for part in batch.values())
    assert batches[0]["x"].dtype is facula.float32 and batches[0]["y"].dtype is facula.int64


def test_a_custom_collate_fn_is_used_unchanged():
    for batch in DataLoader(Pairs(), batch_size=5, collate_fn=lambda samples: [s["x"] for s in samples]):
        assert [type(part) for part in batch] == [numpy.ndarray] * 5


def test_the_collate_fn_of_a_loader_works_in_another():
    """Check this because libraries build loaders from a program's loader."""
    dataset = TensorDataset(facula.arange(4.0))
    loader = DataLoader(dataset, batch_size=2)
    assert loader.collate_fn is default_collate and DataLoader(dataset, batch_size=None).collate_fn is default_convert
    again = DataLoader(dataset, batch_size=2, collate_fn=loader.collate_fn)
    for one, other in zip(loader, again, strict=True):
        assert isinstance(other[0], facula.Tensor) and facula.equal(one[0], other[0])
    again.collate_fn = len
    assert again.collate_fn is len and list(again) == [2, 2]


def test_convert_is_a_keyword_argument():
    assert type(next(iter(DataLoader(numpy.arange(4), batch_size=4, convert=list)))) is list


def test_single_samples_are_converted():
    samples = list(DataLoader(Pairs(), batch_size=None))
    assert samples[3]["x"].tolist() == [3.0, 3.0]
    assert default_convert([numpy.ones(1), "a"])[0].tolist() == [1.0]


def test_batches_share_no_memory_with_the_dataset():
    source = facula.arange(4)
    (batch,) = next(iter(DataLoader(TensorDataset(source), batch_size=4)))
    batch.zero_()
    assert source.tolist() == [0, 1, 2, 3]


def orders():
    return [batch.tolist() for _ in range(2) for batch in DataLoader(range(8), batch_size=8, shuffle=True)]


def test_manual_seed_reaches_the_order():
    facula.manual_seed(5)
    first = orders()
    facula.manual_seed(5)
    assert orders() == first
    assert first[0] != first[1]
    facula.manual_seed(6)
    assert orders() != first


def test_manual_seed_reaches_a_split():
    def split():
        facula.manual_seed(3)
        return [list(part) for part in random_split(range(9), [6, 3])]

    assert split() == split()
    assert split() != [
        list(part) for part in random_split(range(9), [6, 3], generator=facula.Generator().manual_seed(1))
    ]


def test_errors_name_the_index_of_a_sample_of_another_shape():
    class Ragged(Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, index):
            return facula.zeros(4 if index == 4 else 3)

    with raises(ValueError, "default_collate", "expected samples of one shape", "(4,) in sample 4 of the dataset"):
        list(DataLoader(Ragged(), batch_size=3))


def test_wrong_arguments_are_refused_by_facula_data():
    with raises(ValueError, "DataLoader", "batch_size"):
        DataLoader(range(3), batch_size=0)
    with raises(ValueError, "DataLoader", "num_workers=-2"):
        DataLoader(range(3), num_workers=-2)
    with pytest.raises(TypeError, match="wrong"):
        DataLoader(range(3), wrong=1)


class Tensors(Dataset):
    """Samples of tensors, with dtypes that NumPy knows or lacks, and the number of compute threads."""

    def __len__(self):
        return 20

    def __getitem__(self, index):
        row = facula.full((40, 40), index)
        return row, row.to(facula.bfloat16), facula.get_num_threads()


@pytest.mark.parametrize("context", ["fork", "spawn", "thread"])
def test_workers_return_the_same_tensors_as_this_process(context):
    how = {"worker_method": "thread"} if context == "thread" else {"multiprocessing_context": context}
    expected = list(DataLoader(Tensors(), batch_size=8))
    for made, batch in zip(DataLoader(Tensors(), batch_size=8, num_workers=2, **how), expected, strict=True):
        assert [(part.dtype, part.shape) for part in made] == [(part.dtype, part.shape) for part in batch]
        assert (made[0] == batch[0]).all() and (made[1] == batch[1]).all()
        made[0].add_(1)  # the program owns its batches
        if context != "thread":
            assert made[2].tolist() == [1] * len(made[2])


@pytest.mark.parametrize("whole", [True, False], ids=["TensorDataset", "samples"])
def test_tensors_without_a_numpy_dtype_are_batched(whole):
    rows = facula.arange(12).reshape(4, 3).to(facula.bfloat16)
    dataset = TensorDataset(rows, facula.arange(4)) if whole else [(rows[i], i) for i in range(4)]
    batches = list(DataLoader(dataset, batch_size=3))
    assert [type(batch).__name__ for batch, _ in batches] == ["Tensor"] * 2
    assert all(batch.dtype is facula.bfloat16 for batch, _ in batches)
    assert facula.cat([batch for batch, _ in batches]).tolist() == rows.tolist()
    assert [numbers.tolist() for _, numbers in batches] == [[0, 1, 2], [3]]


def test_gradients_pass_through_a_batch():
    weights = facula.ones(4, 2, requires_grad=True)
    for (batch,) in DataLoader(TensorDataset(weights), batch_size=3):
        (batch * 2).sum().backward()
    assert weights.grad.tolist() == [[2.0, 2.0]] * 4
    single = next(iter(DataLoader(TensorDataset(weights), batch_size=None)))
    assert single[0].grad_fn is not None


def test_batches_of_tensors_stay_on_their_device():
    samples = [{"x": facula.empty(2, device="meta")}] * 3
    batch = default_collate(samples)["x"]
    assert batch.device.type == "meta" and batch.shape == (3, 2)


def test_type_checkers_know_every_loader_argument():
    """Check that `Options`, which only type checkers use, lists the keyword arguments."""
    tree = ast.parse(Path(facula.utils.data.__file__).read_text())
    (options,) = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == "Options"]
    by_name = {node.target.id for node in options.body if isinstance(node, ast.AnnAssign)}
    by_place = set(inspect.signature(DataLoader).parameters) - {"arguments", "options"}
    assert by_name | by_place == set(inspect.signature(facula_data.DataLoader).parameters)


class Noise:
    """Random numbers from facula's generator."""

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return facula.rand(())


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_draw_different_numbers_in_each_epoch(method):
    facula.manual_seed(1)
    loader = DataLoader(Noise(), 2, num_workers=2, multiprocessing_context=method, persistent_workers=method == "fork")
    drawn = facula.cat([batch for _ in range(2) for batch in loader])
    assert len(drawn.unique()) == 16
    facula.manual_seed(1)
    loader = DataLoader(Noise(), 2, num_workers=2, multiprocessing_context="fork")
    assert facula.equal(drawn, facula.cat([batch for _ in range(2) for batch in loader]))


def test_seed_globals_seeds_faculas_generator():
    def numbers(**kind):
        return facula.cat(list(DataLoader(Noise(), 3, seed=1, seed_globals=True, **kind)))

    state = facula.get_rng_state()
    drawn = numbers()
    assert len(drawn.unique()) == 8 and facula.equal(facula.get_rng_state(), state)
    assert facula.equal(drawn, numbers(num_workers=2, multiprocessing_context="fork"))
