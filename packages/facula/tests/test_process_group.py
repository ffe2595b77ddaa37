"""A process group of one process: queries, collectives, refused calls, and models in it."""

import copy
import pickle
from datetime import timedelta

import pytest

import facula
import facula.distributed as dist
from facula import nn
from facula.nn.parallel import DistributedDataParallel
from facula.utils.data import DataLoader, DistributedSampler
from facula_errors.testing import raises

ONES, OTHER = facula.ones(2), facula.zeros(2)
ADDRESS = {"MASTER_ADDR": "localhost", "MASTER_PORT": "29500"}


def begin(backend="gloo", **options):
    dist.init_process_group(backend, **{"store": dist.HashStore(), "rank": 0, "world_size": 1, **options})


@pytest.fixture(autouse=True)
def no_group_before_and_after():
    assert not dist.is_initialized()
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


@pytest.fixture
def group():
    begin()
    return dist.group.WORLD


# ------------------------------------------------------------------------------------- initialization and shutdown
@pytest.mark.parametrize(
    ("address", "environment", "options"),
    [
        (None, {"RANK": "0", "WORLD_SIZE": "1", **ADDRESS}, {}),
        ("env://", ADDRESS, {"rank": 0, "world_size": 1}),
        ("env://?rank=0&world_size=1", ADDRESS, {}),
        ("tcp://127.0.0.1:29501", {}, {"rank": 0, "world_size": 1}),
        ("tcp://127.0.0.1:29501?rank=0&world_size=1", {}, {}),
        ("file://{}/group", {}, {"rank": 0, "world_size": 1}),
    ],
)
@pytest.mark.parametrize("backend", ["gloo", None, "GLOO", "cpu:gloo"])
def test_each_address_and_backend(monkeypatch, tmp_path, address, environment, options, backend):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    dist.init_process_group(backend, address and address.format(tmp_path), timeout=timedelta(seconds=1), **options)
    assert (dist.is_initialized(), dist.get_rank(), dist.get_world_size()) == (True, 0, 1)
    assert dist.get_backend() == ("undefined" if backend is None else backend.lower())
    assert dist.group.WORLD is dist.GroupMember.WORLD is dist.distributed_c10d._get_default_group()
    store = dist.distributed_c10d._get_default_store()
    store.set("key", "value")
    assert store.get("key") == b"value"
    dist.destroy_process_group()
    assert not dist.is_initialized() and dist.group.WORLD is None


ENV = {"RANK": "0", "WORLD_SIZE": "2", **ADDRESS}
BEGINNINGS = {
    "no rank": ({}, {}, ValueError, "environment variable RANK"),
    "no world size": ({"RANK": "0"}, {}, ValueError, "environment variable WORLD_SIZE"),
    "no address": ({"RANK": "0", "WORLD_SIZE": "1"}, {}, ValueError, "environment variable MASTER_ADDR"),
    "a second rank": ({}, {"init_method": "tcp://a:1", "rank": 1, "world_size": 1}, ValueError, "expected rank below"),
    "no number": ({**ENV, "WORLD_SIZE": "x"}, {}, ValueError, "world_size to be a whole number; got 'x'"),
    "no rank, tcp": ({}, {"init_method": "tcp://a:1", "world_size": 1}, ValueError, "expected rank="),
    "no port": ({}, {"init_method": "tcp://a", "rank": 0, "world_size": 1}, ValueError, "a port"),
    "another address": ({}, {"init_method": "bad://a:1", "rank": 0, "world_size": 1}, RuntimeError, "'bad://a:1'"),
    "address is no str": ({}, {"init_method": 3, "rank": 0, "world_size": 1}, TypeError, "init_method to be a str"),
    "store without rank": ({}, {"store": dist.HashStore()}, ValueError, "got -1, -1"),
    "no store": ({}, {"store": {}, "rank": 0, "world_size": 1}, TypeError, "got dict"),
    "address and store": ({}, {"store": dist.HashStore(), "init_method": "env://"}, ValueError, "got both"),
    "another backend": ({}, {"backend": "smoke", "init_method": "tcp://a:1", "rank": 0, "world_size": 1}, ValueError,
                        "got 'smoke'"),
    "timeout": ({}, {"timeout": 3, "init_method": "tcp://a:1", "rank": 0, "world_size": 1}, TypeError, "timedelta"),
    "device": ({}, {"device_id": facula.device("meta")}, RuntimeError, "device_id=None"),
    "options": ({}, {"pg_options": 1, "init_method": "tcp://a:1", "rank": 0, "world_size": 1}, NotImplementedError,
                "pg_options=None"),
}  # fmt: skip


@pytest.mark.parametrize("case", BEGINNINGS)
def test_invalid_initializations_are_refused(monkeypatch, case):
    environment, options, kind, words = BEGINNINGS[case]
    for name in ("RANK", "WORLD_SIZE", *ADDRESS):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with raises(kind, "init_process_group", words):
        dist.init_process_group(**options)
    assert not dist.is_initialized()


def test_a_group_is_initialized_once(group):
    with raises(ValueError, "init_process_group", "call destroy_process_group first"):
        begin()


@pytest.mark.parametrize(
    "call",
    [dist.get_rank, dist.get_world_size, dist.get_backend, dist.barrier, dist.new_group, dist.destroy_process_group,
     lambda: dist.all_reduce(ONES), lambda: dist.all_gather_object([None], 1), lambda: dist.send(ONES, 0),
     lambda: DistributedDataParallel(nn.Linear(1, 1))],
)  # fmt: skip
def test_calls_without_a_group_raise(call):
    with raises(ValueError, "distributed", "call init_process_group first"):
        call()


@pytest.mark.parametrize("backend", ["nccl", "NCCL", "xccl", "ucc", "cpu:gloo,cuda:nccl"])
def test_missing_backends_are_refused(backend):
    """Check the same refusals as those of PyTorch without a GPU."""
    options = {"store": dist.HashStore(), "rank": 0, "world_size": 1}
    with raises(RuntimeError, "init_process_group", "expected an available backend", "use 'gloo'"):
        dist.init_process_group(backend, **options)
    assert not dist.is_initialized()
    dist.init_process_group("gloo", **options)
    with raises(RuntimeError, "new_group", "expected an available backend", "use 'gloo', or"):
        dist.new_group(backend=backend)
    assert dist.get_pg_count() == 1
    dist.destroy_process_group()


def test_additional_groups(group):
    other = dist.new_group([0], group_desc="mine")
    assert (other.size(), other.rank(), other.name(), other.group_desc, other.group_name) == (1, 0, "gloo", "mine", "1")
    assert dist.get_process_group_ranks(other) == [0] and dist.get_rank(other) == 0 and dist.get_pg_count() == 2
    assert dist.get_group_rank(other, 0) == dist.get_global_rank(other, 0) == 0
    assert dist.get_backend(dist.new_group(backend="GLOO")) == "gloo" and dist.get_backend_config(other) == "cpu:gloo"
    dist.all_reduce(ONES, group=other)
    mine, all_of_them = dist.new_subgroups(1)
    assert [mine] == all_of_them
    dist.destroy_process_group(other)
    for wrong in (other, 3):
        with raises(ValueError, "all_reduce", "a process group that was made"):
            dist.all_reduce(ONES, group=wrong)
    for ranks in ([1], [0, 1], [0, 0], []):
        with raises(ValueError, "new_group", "expected ranks to be"):
            dist.new_group(ranks)
    dist.destroy_process_group()
    with pytest.raises(ValueError):
        dist.get_rank(mine)


def test_calls_on_a_group_without_this_process_warn(group):
    outside = dist.GroupMember.NON_GROUP_MEMBER
    with pytest.warns(UserWarning, match="no member of the group"):
        assert dist.all_reduce(ONES, group=outside) is None
    assert dist.get_rank(outside) == dist.get_world_size(outside) == -1


# ------------------------------------------------------------------------------------------------- collectives
def _into(function, *arguments, output=None, **options):
    """Return the output, the first argument, that an operation wrote."""
    output = facula.zeros(2) if output is None else output
    function(output, *arguments, **options)
    return output


def _listed(function, *arguments):
    return _into(function, *arguments, output=[facula.zeros(2)])[0]


IDENTITIES = {
    "all_reduce": lambda x: dist.all_reduce(x) or x,
    "all_reduce, average": lambda x: dist.all_reduce(x, op=dist.ReduceOp.AVG) or x,
    "all_reduce, maximum": lambda x: dist.all_reduce(x, dist.ReduceOp(dist.ReduceOp.MAX)) or x,
    "all_reduce_coalesced": lambda x: dist.all_reduce_coalesced([x]) or x,
    "broadcast": lambda x: dist.broadcast(x, 0) or x,
    "broadcast, in the group": lambda x: dist.broadcast(x, group_src=0) or x,
    "reduce": lambda x: dist.reduce(x, dst=0) or x,
    "all_gather": lambda x: _listed(dist.all_gather, x),
    "all_gather_coalesced": lambda x: _into(dist.all_gather_coalesced, [x], output=[[facula.zeros(2)]])[0][0],
    "all_gather_into_tensor": lambda x: _into(dist.all_gather_into_tensor, x),
    "all_gather_into_tensor, stacked": lambda x: _into(dist.all_gather_into_tensor, x, output=facula.zeros(1, 2))[0],
    "reduce_scatter_tensor": lambda x: _into(dist.reduce_scatter_tensor, x),
    "reduce_scatter_tensor, stacked": lambda x: _into(dist.reduce_scatter_tensor, x[None]),
    "reduce_scatter": lambda x: _into(dist.reduce_scatter, [x]),
    "gather": lambda x: (output := [facula.zeros(2)], dist.gather(x, output))[0][0],
    "scatter": lambda x: _into(dist.scatter, [x], src=0),
    "all_to_all": lambda x: _listed(dist.all_to_all, [x]),
    "all_to_all_single": lambda x: _into(dist.all_to_all_single, x),
    "all_to_all_single, split": lambda x: _into(dist.all_to_all_single, x, [2], [2]),
    "all_gather_object": lambda x: _into(dist.all_gather_object, x, output=[None])[0],
    "gather_object": lambda x: (output := [None], dist.gather_object(x, output))[0][0],
    "broadcast_object_list": lambda x: _into(dist.broadcast_object_list, 0, output=[x])[0],
    "scatter_object_list": lambda x: _into(dist.scatter_object_list, [x], output=[None])[0],
}


@pytest.mark.parametrize("case", IDENTITIES)
def test_each_collective_returns_its_input(group, case):
    x = facula.tensor([1.5, -2.0])
    assert IDENTITIES[case](x).tolist() == x.tolist() == [1.5, -2.0]


NO_PICKLE = (AttributeError, pickle.PicklingError)
REFUSED = {
    "no tensor": (lambda: dist.all_reduce([ONES]), TypeError),
    "op": (lambda: dist.all_reduce(ONES, op="sum"), TypeError),
    "bits of floats": (lambda: dist.all_reduce(ONES, op=dist.ReduceOp.BAND), RuntimeError),
    "order of complex": (lambda: dist.reduce(ONES + 1j, 0, op=dist.ReduceOp.MAX), ValueError),
    "factor": (lambda: dist.all_reduce(ONES, op=dist.ReduceOp.PREMUL_SUM), NotImplementedError),
    "root": (lambda: dist.broadcast(ONES, 1), RuntimeError),
    "root below 0": (lambda: dist.broadcast(ONES, -1), RuntimeError),
    "no root": (lambda: dist.broadcast(ONES), ValueError),
    "two roots": (lambda: dist.broadcast(ONES, 0, group_src=0), ValueError),
    "root of reduce": (lambda: dist.reduce(ONES, 1), RuntimeError),
    "too many": (lambda: dist.all_gather([OTHER, OTHER], ONES), RuntimeError),
    "none": (lambda: dist.all_gather([], ONES), RuntimeError),
    "no list": (lambda: dist.all_gather(OTHER, ONES), TypeError),
    "shape": (lambda: dist.all_gather([facula.zeros(3)], ONES), RuntimeError),
    "rank": (lambda: dist.all_gather([facula.zeros(1, 2)], ONES), RuntimeError),
    "dtype": (lambda: dist.all_gather([OTHER.double()], ONES), TypeError),
    "shape of a tensor": (lambda: dist.all_gather_into_tensor(facula.zeros(3), ONES), RuntimeError),
    "dtype of a tensor": (lambda: dist.all_gather_into_tensor(OTHER.int(), ONES), RuntimeError),
    "part": (lambda: dist.reduce_scatter_tensor(facula.zeros(3), ONES), RuntimeError),
    "parts": (lambda: dist.reduce_scatter(OTHER, [ONES, ONES]), RuntimeError),
    "gather without a list": (lambda: dist.gather(ONES, None, dst=0), ValueError),
    "gather to another rank": (lambda: dist.gather(ONES, dst=1), RuntimeError),
    "gather of too many": (lambda: dist.gather(ONES, [OTHER, OTHER]), RuntimeError),
    "scatter without a list": (lambda: dist.scatter(OTHER, None, src=0), ValueError),
    "scatter from another rank": (lambda: dist.scatter(OTHER, [ONES], src=1), ValueError),
    "all_to_all of two": (lambda: dist.all_to_all([OTHER] * 2, [ONES] * 2), RuntimeError),
    "all_to_all shape": (lambda: dist.all_to_all([facula.zeros(3)], [ONES]), RuntimeError),
    "split": (lambda: dist.all_to_all_single(OTHER, ONES, [1], [1]), RuntimeError),
    "splits": (lambda: dist.all_to_all_single(OTHER, ONES, [1, 1], [1, 1]), RuntimeError),
    "no output for an object": (lambda: dist.all_gather_object([], 1), IndexError),
    "no list of objects": (lambda: dist.gather_object(1, None, dst=0), ValueError),
    "objects of another rank": (lambda: dist.broadcast_object_list([1], src=1), RuntimeError),
    "two objects": (lambda: dist.scatter_object_list([None], [1, 2], src=0), RuntimeError),
    "unpicklable object": (lambda: dist.broadcast_object_list([lambda: 1], src=0), NO_PICKLE),
    "to itself": (lambda: dist.send(ONES, 0), ValueError),
    "to another": (lambda: dist.isend(ONES, 1), ValueError),
    "from any": (lambda: dist.recv(ONES), ValueError),
    "from itself": (lambda: dist.irecv(ONES, 0), ValueError),
    "objects to itself": (lambda: dist.send_object_list([1], 0), ValueError),
    "objects from itself": (lambda: dist.recv_object_list([1], 0), ValueError),
    "messages": (lambda: dist.batch_isend_irecv([dist.P2POp(dist.isend, ONES, 0)]), ValueError),
    "no message": (lambda: dist.P2POp(dist.send, ONES, 0), ValueError),
    "devices": (lambda: dist.barrier(device_ids=[0]), RuntimeError),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_calls_change_nothing(group, case):
    call, kind = REFUSED[case]
    with pytest.raises(kind):
        call()
    assert ONES.tolist() == [1, 1] and OTHER.tolist() == [0, 0]


def test_async_work_is_complete(group):
    x = facula.ones(2)
    calls = [dist.all_reduce(x, async_op=True), dist.broadcast(x, 0, async_op=True), dist.barrier(async_op=True)]
    for work in calls:
        assert isinstance(work, dist.Work) and work.wait() is work.is_completed() is work.is_success() is True
        assert work.exception() is None
    assert calls[0].result()[0] is x and calls[2].result() == []
    assert dist.barrier() is None and dist.monitored_barrier() is None


def test_gathered_objects_are_copies(group):
    given, found = {"a": [1]}, [None]
    dist.all_gather_object(found, given)
    assert found == [given] and found[0] is not given and found[0]["a"] is not given["a"]


def test_collectives_keep_gradients_and_history(group):
    x = facula.ones(2, requires_grad=True)
    y = x * 2
    dist.all_reduce(y)
    dist.all_gather([output := facula.zeros(2)], y)
    assert not output.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_reduce_ops_are_values():
    assert [one.name for one in dist.ReduceOp.RedOpType][:3] == ["SUM", "AVG", "PRODUCT"]
    assert repr(dist.ReduceOp.SUM) == "<RedOpType.SUM: 0>" and str(dist.ReduceOp.MAX) == "RedOpType.MAX"
    assert dist.ReduceOp(dist.ReduceOp.MIN) == dist.ReduceOp.MIN != dist.ReduceOp.MAX and dist.reduce_op.SUM
    assert dist.supports_complex(dist.ReduceOp.SUM) and not dist.supports_complex(dist.ReduceOp.MAX)
    assert pickle.loads(pickle.dumps(dist.ReduceOp.AVG)) is dist.ReduceOp.AVG
    with pytest.raises(TypeError):
        dist.ReduceOp("sum")


# ----------------------------------------------------------------------------------------- models and samples
def _trained(wrap):
    facula.manual_seed(0)
    model = wrap(nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1)))
    optimizer = facula.optim.AdamW(model.parameters(), lr=0.1)
    for step in range(3):
        x = facula.randn(8, 3, generator=facula.Generator().manual_seed(step))
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    return model, [p.grad.tolist() for p in model.parameters()]


def test_a_wrapped_model_trains_like_the_model(group):
    alone, gradients = _trained(lambda model: model)
    model, others = _trained(lambda model: DistributedDataParallel(model, find_unused_parameters=True))
    assert others == gradients and isinstance(model.module, nn.Sequential)
    assert list(model.state_dict()) == [f"module.{name}" for name in alone.state_dict()]
    model.module.load_state_dict(alone.state_dict())
    with model.no_sync(), model.join():
        assert not model.require_backward_grad_sync
    assert model.require_backward_grad_sync and not model.eval().module.training
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert again.process_group is group
        assert again(facula.ones(1, 3)).tolist() == model(facula.ones(1, 3)).tolist()


def test_captured_functions_detect_the_group(group):
    model = DistributedDataParallel(nn.Linear(2, 2))
    all_reduce = dist.all_reduce

    @facula.capture
    def reduced(x):
        return model(x).sum()

    @facula.capture
    def communicating(x):
        value = model(x).sum()
        all_reduce(value)
        return value

    @facula.capture
    def doubled(x):
        return x * (2 if dist.is_initialized() else 3)

    x = facula.ones(3, 2)
    assert [reduced(x).item() for _ in range(3)] == [model(x).sum().item()] * 3
    assert [communicating(x).item() for _ in range(3)] == [model(x).sum().item()] * 3
    assert "replayed 2 times" in communicating.report()
    assert [doubled(x)[0, 0].item() for _ in range(3)] == [2] * 3
    assert "replayed 2 times" in reduced.report() and "replayed 2 times" in doubled.report()
    dist.destroy_process_group()
    with raises(ValueError, "distributed", "init_process_group"):
        communicating(x)
    assert doubled(x)[0, 0].item() == 3


@pytest.mark.parametrize(
    ("options", "kind"),
    [({"module": 3}, TypeError), ({"module": nn.ReLU()}, RuntimeError), ({"device_ids": [0]}, RuntimeError),
     ({"mixed_precision": 1}, NotImplementedError), ({"device_mesh": 1}, NotImplementedError),
     ({"process_group": 3}, ValueError)],
)  # fmt: skip
def test_invalid_models_are_refused(group, options, kind):
    with raises(kind, "DistributedDataParallel"):
        DistributedDataParallel(**{"module": nn.Linear(1, 1), **options})
    with raises(TypeError, "register_comm_hook", "expected hook to be callable"):
        DistributedDataParallel(nn.Linear(1, 1)).register_comm_hook(None, 3)


def test_a_sampler_takes_its_size_and_rank_from_the_group():
    with raises(RuntimeError, "DistributedSampler", "call distributed.init_process_group"):
        DistributedSampler("abc")
    begin()
    sampler = DistributedSampler(range(5), shuffle=False)
    assert (sampler.num_replicas, sampler.rank, list(sampler)) == (1, 0, [0, 1, 2, 3, 4])
    sampler = DistributedSampler(range(5))
    sampler.set_epoch(1)
    assert sorted(facula.cat(list(DataLoader(range(5), 2, sampler=sampler))).tolist()) == [0, 1, 2, 3, 4]
    dist.destroy_process_group()
    with pytest.raises(RuntimeError):
        DistributedSampler("abc")
