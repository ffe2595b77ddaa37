"""Remote calls, in shared memory and over Ray: results, errors, references, ranks that end, and a parameter server."""

import os
import re
import signal
import sys
import time

import numpy as np
import pytest
from ray_cluster import needs_ray, variables

import facula_distributed as dist
from facula_distributed import rpc
from facula_distributed._rpc.rref import agents
from facula_distributed.extend import collect_all, wait_all
from facula_distributed.testing import errors, run
from facula_errors.testing import raises
from facula_tensor import tensor, zeros


@pytest.fixture(params=[None, pytest.param("ray", marks=needs_ray)])
def cluster(request):
    """None for shared memory, or the environment variables for a Ray cluster."""
    return request.param and variables()


def name(rank):
    return f"worker{rank}"


def begin(rank, cluster):
    if cluster:
        os.environ.update(cluster)
    rpc.init_rpc(name(rank), cluster and rpc.BackendType.RAY, rank=rank, world_size=dist.get_world_size())


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


@rpc.async_execution
def chained(a, b, last):
    return rpc.rpc_async(last, add, (a, b)).then(lambda done: done.value() * 10)


@rpc.async_execution
def no_future():
    return 1


def filled(array):
    array += 1  # what arrives can be changed
    return array


def calls(rank, cluster):
    begin(rank, cluster)
    size = dist.get_world_size()
    for to in range(size):  # also this rank
        assert rpc.rpc_sync(name(to), add, (rank,), {"b": to}) == rank + to
    other = (rank + 1) % size
    assert rpc.rpc_sync(rpc.get_worker_info(name(other)), add, (tensor([1.0] * 100_000), 1))[-1].item() == 2
    assert rpc.rpc_sync(other, nested, (1, 2, name(rank))) == 30
    assert rpc.rpc_sync(other, chained, (1, 2, name(rank))) == rpc.remote(other, chained, (1, 2, other)).to_here() == 30
    assert rpc.rpc_sync(rank, chained, (1, 2, other)) == 30
    for count in (3, 100_000):
        assert (rpc.rpc_sync(other, filled, (np.zeros(count),)) == 1).all()
    with raises(TypeError, "rpc.async_execution", "expected no_future to return a Future", value="1"):
        no_future()
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
    begin(rank, cluster)  # again
    assert rpc.rpc_sync(other, add, (1, 1)) == 2
    rpc.shutdown()


def test_calls(cluster):
    run(3, calls, cluster)


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


def references(rank, cluster):
    begin(rank, cluster)
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


def test_references(cluster):
    run(2, references, cluster)


def end_early(rank, cluster):
    begin(rank, cluster)
    if rank == 1:
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    rpc.rpc_sync(1, time.sleep, (60,))


def test_calls_of_a_rank_that_ends_fail(cluster):
    error = errors(2, end_early, cluster)[0]
    assert "RankError: rpc: rank 1, 'worker1', has ended before sleep on 'worker1', called at " in error
    assert re.search(r"test_rpc.py:\d+, had a result", error)


class Server:
    def __init__(self, size):
        self.parameters = zeros(size)

    def pull(self):
        return self.parameters

    def push(self, gradient):
        self.parameters = self.parameters - 0.5 * gradient


def parameter_server(rank, cluster):
    begin(rank, cluster)
    if rank:
        server = rpc.remote(0, Server, (3,))
        target = tensor([1.0, 2.0, 3.0])
        for _ in range(40):
            server.rpc_sync().push(server.rpc_sync().pull() - target)
        assert (server.rpc_sync().pull() - target).abs().max() < 1e-3
    rpc.shutdown()


def test_a_parameter_server(cluster):
    run(3, parameter_server, cluster)


def without_own_actor(rank, cluster):
    begin(rank, cluster)
    if rank == 1:
        agents[0]._transport._ray.kill(agents[0]._transport._own)
    rpc.rpc_sync(1 - rank, time.sleep, (60,))


@needs_ray
def test_a_worker_whose_actor_ends():
    others, own = errors(2, without_own_actor, variables())
    assert "DistBackendError: rpc: the Ray actor of rank 1 has ended" in own
    assert "RankError: rpc: rank 1" in others and "has ended" in others


def alone():
    rpc.init_rpc("a", rpc.BackendType.RAY, 0, 1, rpc.RpcBackendOptions(init_method="tcp://localhost:29500"))


def test_without_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with raises(ImportError, "init_rpc", "the package ray is missing", "pip install ray"):
        alone()
    with raises(TypeError, "init_rpc", "expected backend to be a BackendType or None", value="'ray'"):
        rpc.init_rpc("a", "ray")


def without_cluster(rank):
    os.environ["RAY_ADDRESS"] = "127.0.0.1:1"
    alone()


@needs_ray
def test_without_a_cluster():
    assert "DistNetworkError: init_rpc: expected a Ray cluster; got: " in errors(1, without_cluster)[0]
