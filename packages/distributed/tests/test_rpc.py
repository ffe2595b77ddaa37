"""Remote calls: results, errors, references, ranks that end, and a parameter server."""

import os
import time

import pytest

import facula_distributed as dist
from facula_distributed import rpc
from facula_distributed.extend import collect_all, wait_all
from facula_distributed.testing import errors, run
from facula_errors.testing import raises
from facula_tensor import tensor, zeros


def name(rank):
    return f"worker{rank}"


def begin(rank):
    rpc.init_rpc(name(rank), rank=rank, world_size=dist.get_world_size())


def add(a, b=0):
    return a + b


def fail(kind):
    raise kind(f"on {rpc.get_worker_info().name}")


class Unpicklable(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} {b}")


def fail_unpicklable():
    raise Unpicklable(1, 2)


def nested(a, b, last):
    return rpc.rpc_sync(last, add, (a, b)) * 10


def calls(rank):
    begin(rank)
    size = dist.get_world_size()
    for to in range(size):  # also this rank
        assert rpc.rpc_sync(name(to), add, (rank,), {"b": to}) == rank + to
    other = (rank + 1) % size
    assert rpc.rpc_sync(rpc.get_worker_info(name(other)), add, (tensor([1.0] * 100_000), 1))[-1].item() == 2
    assert rpc.rpc_sync(other, nested, (1, 2, name(rank))) == 30
    futures = [rpc.rpc_async(other, add, (k, k)) for k in range(300)]  # more than a mailbox has letters
    assert wait_all(futures) == [2 * k for k in range(300)] and all(one.done() for one in futures)
    assert [one.value() for one in collect_all(futures[:3]).wait()] == [0, 2, 4]
    assert futures[5].then(lambda done: done.value() + 1).wait() == 11
    for kind in (ValueError, KeyError):
        try:
            rpc.rpc_sync(other, fail, (kind,))
        except kind as error:
            assert name(other) in str(error) and "in fail\n" in error.__notes__[0]
        else:
            raise AssertionError
    with pytest.raises(RuntimeError, match="Unpicklable: 1 2"):
        rpc.rpc_sync(other, fail_unpicklable)
    with raises(ValueError, "rpc", "expected a worker, one of", value="'nobody'"):
        rpc.rpc_sync("nobody", add, (1,))
    with raises(RuntimeError, "rpc", "has no result after 0.05 s"):
        rpc.rpc_sync(other, time.sleep, (0.5,), timeout=0.05)
    dist.send(zeros(3), other)  # messages of the program are others
    dist.recv(zeros(3), (rank - 1) % size)
    rpc.shutdown()
    with raises(RuntimeError, "rpc.rpc_async", "init_rpc to be called before"):
        rpc.rpc_sync(other, add, (1,))
    begin(rank)  # again
    assert rpc.rpc_sync(other, add, (1, 1)) == 2
    rpc.shutdown()


def test_calls():
    run(3, calls)


class Counter:
    def __init__(self, start):
        self.value = start

    def add(self, amount):
        self.value += amount
        return self.value


def add_to(reference, amount):
    return reference.rpc_sync().add(amount)


def value_of(reference):
    return reference.to_here()


def references(rank):
    begin(rank)
    other = 1 - rank
    counter = rpc.remote(name(other), Counter, (5,))
    assert counter.owner().id == other and counter.owner_name() == name(other) and not counter.is_owner()
    assert counter.rpc_sync().add(1) == 6 and counter.rpc_async().add(1).wait() == 7
    assert counter.remote().add(1).to_here() == 8 and counter.confirmed_by_owner()
    assert counter.to_here().value == 8
    with raises(RuntimeError, "RRef.local_value", "expected the owner"):
        counter.local_value()
    assert rpc.rpc_sync(other, add_to, (counter, 2)) == 10  # on its owner
    own = rpc.RRef(Counter(1))
    assert own.is_owner() and own.local_value() is own.to_here() and rpc.rpc_sync(other, add_to, (own, 2)) == 3
    failed = rpc.remote(other, fail, (ValueError,))
    try:
        failed.to_here()
    except ValueError as error:
        assert name(other) in str(error)
    else:
        raise AssertionError
    del counter, own, failed
    rpc.shutdown()


def test_references():
    run(2, references)


def end_early(rank):
    rpc.init_rpc(name(rank))
    if rank == 1:
        time.sleep(0.2)
        os._exit(0)
    rpc.rpc_sync(1, time.sleep, (60,))


def test_calls_of_a_rank_that_ends_fail():
    assert "RankError: rpc: rank 1, 'worker1', has ended" in errors(2, end_early)[0]


class Server:
    def __init__(self, size):
        self.parameters = zeros(size)

    def pull(self):
        return self.parameters

    def push(self, gradient):
        self.parameters = self.parameters - 0.5 * gradient


def parameter_server(rank):
    begin(rank)
    if rank:
        server = rpc.remote(0, Server, (3,))
        target = tensor([1.0, 2.0, 3.0])
        for _ in range(40):
            server.rpc_sync().push(server.rpc_sync().pull() - target)
        assert (server.rpc_sync().pull() - target).abs().max() < 1e-3
    rpc.shutdown()


def test_a_parameter_server():
    run(3, parameter_server)
