"""Datasets of files in other processes: forked ones do not share a file position, spawned ones reopen the file."""

import multiprocessing
import pickle
import threading

import numpy as np
import pytest
from file_helpers import ppm, tar_bytes, write_cifar10, write_mnist

from facula_data.files import CIFAR10, MNIST, CSVFile, ImageFolder, MemoryMapped, ParquetFile, TarShards, TokenFile

COUNT = 200


def make(kind, folder):
    if kind == "csv":
        (folder / "x.csv").write_text("a,b\n" + "".join(f"{number},{number}\n" for number in range(COUNT)))
        return CSVFile(folder / "x.csv", dtypes={"a": int})
    if kind == "parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.table({"a": np.arange(COUNT)}), folder / "x.parquet", row_group_size=16)
        return ParquetFile(folder / "x.parquet")
    if kind == "mapped":
        np.save(folder / "x.npy", np.arange(COUNT * 2).reshape(COUNT, 2))
        return MemoryMapped(folder / "x.npy")
    if kind == "tokens":
        np.arange(COUNT, dtype=np.uint16).tofile(folder / "x.bin")
        return TokenFile(folder / "x.bin", 3)
    if kind == "mnist":
        write_mnist(folder)
        return MNIST(folder)
    if kind == "cifar":
        write_cifar10(folder / "cifar", binary=True)
        return CIFAR10(folder / "cifar")
    if kind == "folder":
        pytest.importorskip("PIL")
        (folder / "c").mkdir()
        for number in range(10):
            (folder / "c" / f"{number}.ppm").write_bytes(ppm(np.full((2, 2, 3), number, np.uint8)))
        return ImageFolder(folder)
    (folder / "x.tar").write_bytes(tar_bytes([(f"{n}.cls", str(n).encode()) for n in range(COUNT)]))
    return TarShards(folder / "x.tar")


KINDS = ["csv", "parquet", "mapped", "tokens", "mnist", "cifar", "folder", "tar"]


def plain(value):
    """Convert the contents of a sample to nested lists."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value


def read(dataset, order):
    """Read samples in an order, or a whole stream."""
    if order is None:
        return [plain(sample) for sample in dataset]
    return [plain(dataset[index]) for index in order]


def work(pipe, dataset, order):
    pipe.send(read(dataset, order))
    pipe.close()


def orders_of(dataset, count):
    if not hasattr(dataset, "__len__"):
        return [None] * count
    return [np.random.default_rng(seed).permutation(len(dataset)).tolist() * 3 for seed in range(count)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_read_concurrently(tmp_path, kind, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    dataset = make(kind, tmp_path)
    orders = orders_of(dataset, 3)
    expected = [read(dataset, order) for order in orders]  # the file is open in the parent when it forks
    context = multiprocessing.get_context(method)
    running = []
    for order in orders[1:]:
        mine, theirs = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(theirs, dataset, order))
        process.start()
        theirs.close()
        running.append((process, mine))
    assert read(dataset, orders[0]) == expected[0]
    for (process, pipe), wanted in zip(running, expected[1:], strict=True):
        assert pipe.recv() == wanted
        process.join()
        assert process.exitcode == 0


@pytest.mark.parametrize("kind", KINDS)
def test_threads_read_concurrently(tmp_path, kind):
    dataset = make(kind, tmp_path)
    orders = orders_of(dataset, 4)
    expected = [read(dataset, order) for order in orders]
    dataset = pickle.loads(pickle.dumps(dataset))
    found = {}
    threads = [
        threading.Thread(target=lambda place=place: found.update({place: read(dataset, orders[place])}))
        for place in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[place] for place in range(4)] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_pickles_omit_contents_of_files(tmp_path, kind):
    dataset = make(kind, tmp_path)
    before = len(pickle.dumps(dataset))
    read(dataset, orders_of(dataset, 1)[0])
    assert len(pickle.dumps(dataset)) == before
    assert before < 3000
