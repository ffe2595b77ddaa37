"""Stores: their methods, for threads and for processes, and addresses that cannot be used."""

import os
import threading
import time
from datetime import timedelta
from itertools import count

import pytest

import facula_distributed as dist
from facula_distributed._stores.stores import LocalStore
from facula_errors.testing import raises

LIMIT = timedelta(seconds=120)
numbers = count()


def client(master):
    """Return a store that reads the entries of another one in this process through its port."""
    _kept.append(master)
    store = dist.TCPStore("localhost", master.port, 1, False)
    store._memory = None
    return store


_kept = []


@pytest.fixture(params=["hash", "file", "tcp", "tcp client", "local", "prefix"])
def store(request, tmp_path):
    makers = {
        "hash": dist.HashStore,
        "file": lambda: dist.FileStore(tmp_path / "store", 1),
        "tcp": lambda: dist.TCPStore("localhost", 0, 1, True),
        "tcp client": lambda: client(dist.TCPStore("localhost", 0, 1, True)),
        "local": lambda: LocalStore(f"facula test {os.getpid()} {next(numbers)}", True, LIMIT),
        "prefix": lambda: dist.PrefixStore("part", dist.HashStore()),
    }
    return makers[request.param]()


def test_stores_return_bytes(store):
    store.set("a", "b")
    store.set("binary", bytes(range(256)))
    assert (store.get("a"), store.get("binary")) == (b"b", bytes(range(256)))
    assert (store.add("n", 3), store.add("n", 2), store.get("n")) == (3, 5, b"5")
    assert (store.check(["a"]), store.check(["a", "c"]), store.num_keys()) == (True, False, 3)
    assert (store.delete_key("a"), store.delete_key("a"), sorted(store.list_keys())) == (True, False, ["binary", "n"])
    assert [store.compare_set("k", *pair) for pair in (("w", "x"), ("", "x"), ("x", "y"), ("q", "z"))] == [
        b"w", b"x", b"y", b"y"]  # fmt: skip
    store.append("l", "x")
    store.append("l", b"y")
    store.multi_set(["p", "q"], ["1", "2"])
    assert store.multi_get(["l", "p", "q"]) == [b"xy", b"1", b"2"] and store.has_extended_api()
    store.queue_push("line", "1")
    store.queue_push("line", "2")
    assert (store.queue_len("line"), store.queue_pop("line"), store.queue_pop("line", False)) == (2, b"1", b"2")
    with pytest.raises(dist.QueueEmptyError):
        store.queue_pop("line", False)
    for wrong in (("a", 3), (3, "a")):
        with raises(TypeError, "Store.set"):
            store.set(*wrong)
    with raises(ValueError, "Store.add", "expected a number"):
        store.add("l", 1)


def test_stores_wait_for_keys(store):
    store.set_timeout(timedelta(seconds=0.02))
    assert store.timeout == timedelta(seconds=0.02)
    for call in (lambda: store.get("late"), lambda: store.wait(["late"]), lambda: store.queue_pop("late")):
        with raises(RuntimeError, "...Store", "no process set it"):
            call()
    thread = threading.Thread(target=lambda: (time.sleep(0.05), store.set("late", "1")))
    thread.start()
    store.wait(["late"], LIMIT)
    assert store.get("late") == b"1"
    thread.join()


def test_stores_with_the_same_address_share_keys(tmp_path):
    master = dist.TCPStore("localhost", 0, is_master=True)
    dist.TCPStore("localhost", master.port, 1, False).set("a", "1")
    whole = dist.HashStore()
    dist.PrefixStore("x", dist.PrefixStore("y", whole)).set("a", "2")
    assert master.get("a") == b"1" and whole.list_keys() == ["y/x/a"]
    whole.clone().set("b", "3")
    assert whole.get("b") == b"3"
    first, path = dist.FileStore(tmp_path / "f"), tmp_path / "f"
    dist.FileStore(path).set("a", "4")
    assert first.get("a") == b"4"
    del first
    assert not path.exists()
    with raises(dist.DistNetworkError, "TCPStore", f"port {master.port} cannot be used"):
        dist.TCPStore("localhost", master.port, 1, True)
    with raises(dist.DistNetworkError, "TCPStore", "there is no store at 127.0.0.1:1"):
        dist.TCPStore("localhost", 1, 1, False, timedelta(seconds=0.05))
    with raises(
        dist.DistNetworkError,
        "TCPStore",
        "or, if 'else' is another machine, start the processes with python -m facula run",
    ):
        dist.init_process_group("gloo", "tcp://else:1", rank=1, world_size=2, timeout=timedelta(seconds=0.05))
    for arguments, name in (((2, 2), "host_name"), (("localhost", "2"), "port")):
        with raises(TypeError, "TCPStore", f"expected {name} to be of type"):
            dist.TCPStore(*arguments)
    path.write_text("weights")
    with raises(ValueError, "FileStore", "it is another file"):
        dist.FileStore(path)
    assert path.read_text() == "weights"


@pytest.mark.parametrize("kind", ["tcp", "file", "local"])
def test_processes_share_a_store(kind, tmp_path):
    master = dist.TCPStore("localhost", 0, is_master=True)
    name = f"facula test {os.getpid()} {next(numbers)}"
    makers = {
        "tcp": lambda: dist.TCPStore("localhost", master.port, is_master=False),
        "file": lambda: dist.FileStore(tmp_path / "store"),
        "local": lambda: LocalStore(name, False, LIMIT),
    }
    own = LocalStore(name, True, LIMIT) if kind == "local" else makers[kind]()
    children = []
    for rank in range(3):
        child = os.fork()
        if not child:
            try:
                store = makers[kind]()
                store._memory = None
                for _ in range(20):
                    store.add("sum", rank + 1)
                store.set(f"rank {rank}", "x" * 1000)
                store.wait([f"rank {other}" for other in range(3)])
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    own.set_timeout(LIMIT)
    assert [len(value) for value in own.multi_get([f"rank {rank}" for rank in range(3)])] == [1000] * 3
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 3
    assert own.get("sum") == b"120"


def test_a_server_that_has_ended_is_named():
    master = dist.TCPStore("localhost", 0, is_master=True)
    read, write = os.pipe()
    child = os.fork()
    if not child:
        own = dist.TCPStore("localhost", 0, is_master=True)
        os.write(write, str(own.port).encode())
        time.sleep(600)
    store = dist.TCPStore("localhost", int(os.read(read, 9)), is_master=False)
    os.kill(child, 9)
    os.waitpid(child, 0)
    with raises(dist.DistNetworkError, "TCPStore", "the process with the entries", "has ended"):
        store.set("a", "b")
    assert master.num_keys() == 0
