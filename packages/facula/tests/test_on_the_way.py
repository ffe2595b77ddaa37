"""Small utilities of PyTorch programs: pytrees, seeds, processes, and data parallelism on one device."""

from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

import facula
from facula import nn
from facula.utils import _pytree as pytree
from facula.utils.benchmark import Measurement, Timer
from facula.utils.data import DataLoader, DistributedSampler
from facula_errors.testing import raises

Point = namedtuple("Point", "x y")
NESTS = [
    5, None, [], (), {}, [1, (2, [3])], {"b": 1, "a": {"c": 2}}, OrderedDict(b=1, a=[2]), Point(1, (2, 3)),
    defaultdict(list, {"a": [1]}), deque([1, 2], maxlen=3),
]  # fmt: skip


@pytest.mark.parametrize("nest", NESTS, ids=repr)
def test_trees_flatten_and_unflatten(nest):
    leaves, spec = pytree.tree_flatten(nest)
    again = pytree.tree_unflatten(leaves, spec)
    assert again == nest and type(again) is type(nest)
    assert pytree.tree_structure(again) == spec and spec.num_leaves == len(leaves) == len(pytree.tree_leaves(nest))
    doubled = pytree.tree_map(lambda leaf: (leaf, leaf), nest, is_leaf=lambda one: False)
    assert pytree.tree_structure(nest).flatten_up_to(doubled) == [(leaf, leaf) for leaf in leaves]
    if isinstance(nest, deque):
        assert again.maxlen == 3
    if isinstance(nest, defaultdict):
        assert again.default_factory is list


def test_trees_of_tensors():
    batch = {"image": facula.ones(2), "more": [facula.zeros(1), "label"], "pair": facula.ones(2, 2).max(1)}
    moved = pytree.tree_map_only(facula.Tensor, lambda tensor: tensor.double(), batch)
    assert moved["image"].dtype is facula.float64 and moved["more"][1] == "label"
    assert moved["pair"].values.dtype is facula.float64
    assert pytree.tree_map(lambda a: a + 1, facula.Size([1, 2])) == (2, 3)
    assert pytree.tree_map(lambda a, b: a - b, {"a": 3, "b": 2}, {"b": 1, "a": 1}) == {"a": 2, "b": 1}
    assert pytree.tree_all(lambda leaf: leaf > 0, [1, 2]) and not pytree.tree_any(lambda leaf: leaf > 2, [1, 2])
    seen = []
    assert pytree.tree_map_(seen.append, [1, [2]]) == [1, [2]] and seen == [1, 2]


def test_trees_of_other_shapes_are_refused():
    spec = pytree.tree_structure([1, 2])
    with raises(ValueError, "tree_unflatten", "expected 2 leaves for TreeSpec(list", value=1):
        pytree.tree_unflatten([1], spec)
    for other in ([1], (1, 2), 3, {"a": 1}):
        with raises(ValueError, "tree_map", "expected nests of one shape"):
            pytree.tree_map(lambda a, b: a, [1, 2], other)
    with raises(TypeError, "tree_unflatten", "expected treespec to be a TreeSpec", value="list"):
        pytree.tree_unflatten([1], [1])


def test_registered_classes_are_containers():
    class Pair:
        def __init__(self, first, second, name):
            self.first, self.second, self.name = first, second, name

    pytree.register_pytree_node(
        Pair, lambda pair: ([pair.first, pair.second], pair.name), lambda parts, name: Pair(*parts, name)
    )
    doubled = pytree.tree_map(lambda leaf: leaf * 2, Pair(1, [2], "p"))
    assert (doubled.first, doubled.second, doubled.name) == (2, [4], "p")
    with raises(ValueError, "register_pytree_node", "Pair is registered already"):
        pytree.register_pytree_node(Pair, None, None)


def test_leaves_have_paths():
    class Own:
        def __init__(self, *parts):
            self.parts = parts

    Point = namedtuple("Point", "x y")
    tree = {"a": [1, (2,)], "b": Point(3, OrderedDict(c=None))}
    leaves, spec = pytree.tree_flatten_with_path(tree)
    assert [pytree.keystr(path) for path, _ in leaves] == ["['a'][0]", "['a'][1][0]", "['b'].x", "['b'].y['c']"]
    assert [leaf for _, leaf in leaves] == pytree.tree_leaves(tree) and spec == pytree.tree_structure(tree)
    for path, leaf in pytree.tree_leaves_with_path(tree):
        found = tree
        for key in path:
            found = key.get(found)
        assert found == leaf
    named = pytree.tree_map_with_path(lambda path, a, b: (len(path), a, b), [1, [2]], [3, [4]])
    assert named == [(1, 1, 3), [(2, 2, 4)]]
    pytree.register_pytree_node(Own, lambda own: (list(own.parts), None), lambda parts, _: Own(*parts))
    with raises(
        TypeError, "tree_flatten_with_path", "expected containers with keys", value="Own, which was registered without"
    ):
        pytree.tree_flatten_with_path(Own(1))


def test_container_types_are_listed():
    """Check the registry in the way that Lightning iterates over it."""
    Point = namedtuple("Point", "x y")
    for tree in ([1, 2], (1, 2), {"a": 1, "b": 2}, Point(1, 2), deque([1, 2]), defaultdict(int, a=1, b=2)):
        kind = pytree._get_node_type(tree)
        node = pytree.SUPPORTED_NODES[kind]
        children, context = node.flatten_fn(tree)
        assert children == [1, 2] and node.type is kind
        spec = pytree.TreeSpec(kind, context, [pytree.LeafSpec(), pytree.LeafSpec()])
        assert pytree.tree_unflatten([1, 2], spec) == tree
    assert pytree._get_node_type(3) not in pytree.SUPPORTED_NODES
    assert isinstance(pytree.tree_structure(3), pytree.LeafSpec)
    pairs, keys = pytree._dict_flatten_with_keys({"a": 1})
    assert pairs == [(pytree.MappingKey("a"), 1)] and pytree._dict_unflatten([1], keys) == {"a": 1}


@pytest.mark.parametrize("count", [0, 1, 5, 8, 9])
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
def test_processes_share_a_dataset(count, drop_last, shuffle):
    """Check that shards have equal sizes, cover the dataset (disjointly with drop_last), and change each epoch."""
    samplers = [
        DistributedSampler(range(count), num_replicas=4, rank=rank, shuffle=shuffle, seed=3, drop_last=drop_last)
        for rank in range(4)
    ]
    parts = [list(sampler) for sampler in samplers]
    assert [len(part) for part in parts] == [len(samplers[0])] * 4 == [count // 4 if drop_last else -(-count // 4)] * 4
    taken = [index for part in parts for index in part]
    assert len(set(taken)) == len(taken) if drop_last else set(taken) == set(range(count))
    assert [list(sampler) for sampler in samplers] == parts
    for sampler in samplers:
        sampler.set_epoch(1)
    assert not shuffle or count < 8 or [list(sampler) for sampler in samplers] != parts
    if not shuffle and count == 5 and not drop_last:
        assert parts == [[0, 4], [1, 0], [2, 1], [3, 2]]


def test_a_distributed_sampler_names_its_missing_arguments():
    with raises(RuntimeError, "DistributedSampler", "expected num_replicas and rank", "pass both"):
        DistributedSampler(range(3))
    with raises(ValueError, "DistributedSampler", "expected rank from 0 to 1", value="rank=2"):
        DistributedSampler(range(3), 2, 2)
    loader = DataLoader(range(5), batch_size=2, sampler=DistributedSampler(range(5), 2, 1, shuffle=False))
    assert [batch.tolist() for batch in loader] == [[1, 3], [0]]


def test_data_parallel_on_one_device():
    layer = nn.Linear(2, 1)
    model = nn.DataParallel(layer)
    assert model is not layer and model.module is layer and model.device_ids == []
    assert nn.parallel.DataParallel is nn.DataParallel and isinstance(model, nn.DataParallel)
    x = facula.randn(3, 2)
    assert (model(x) == layer(x)).all() and (model(input=x) == layer(x)).all()
    assert list(model.state_dict()) == ["module.weight", "module.bias"]
    assert (nn.parallel.data_parallel(layer, x) == layer(x)).all()
    with raises(TypeError, "DataParallel", "expected module to be a Module", value="int"):
        nn.DataParallel(3)
    with raises(RuntimeError, "DataParallel", "expected device_ids to be None", value=[0, 1]):
        nn.DataParallel(layer, device_ids=[0, 1])


def test_a_block_with_its_own_random_numbers():
    facula.random.manual_seed(7)
    with facula.random.fork_rng(devices=[]):
        inside = facula.rand(3)
        facula.manual_seed(0)
    assert (facula.rand(3) == inside).all()
    state = facula.random.get_rng_state()
    with facula.random.fork_rng(enabled=False):
        facula.rand(1)
    assert not facula.equal(facula.random.get_rng_state(), state)
    with pytest.raises(KeyError), facula.random.fork_rng():
        state = facula.get_rng_state()
        facula.rand(1)
        raise KeyError
    assert facula.equal(facula.get_rng_state(), state)


def fail(rank, how):
    if rank == 1 and how == "raise":
        raise KeyError("lost")
    if rank == 1 and how == "exit":
        raise SystemExit(3)


def test_spawn_reports_failures_of_processes():
    mp = facula.multiprocessing
    assert mp.spawn(fail, args=("no",), nprocs=2) is None
    with raises(mp.ProcessRaisedException, "spawn", "process 1 ended with an exception", "KeyError: 'lost'"):
        mp.spawn(fail, args=("raise",), nprocs=2)
    with raises(mp.ProcessExitedException, "spawn", "process 1 ended with status 3") as caught:
        mp.spawn(fail, args=("exit",), nprocs=2, join=False).join()
        mp.spawn(fail, args=("exit",), nprocs=2)
    assert caught.value.exit_code == 3 and caught.value.error_index == 1
    assert mp.get_sharing_strategy() in mp.get_all_sharing_strategies()
    with raises(ValueError, "set_sharing_strategy", "expected one of file_descriptor, file_system", value="'x'"):
        mp.set_sharing_strategy("x")


def test_registering_safe_globals():
    serialization = facula.serialization
    with serialization.safe_globals([Point]):
        assert serialization.get_safe_globals() == [Point]
        serialization.add_safe_globals([Point, dict])
        assert serialization.get_safe_globals() == [Point, dict]
    assert serialization.get_safe_globals() == [] and serialization.load is facula.load
    with raises(TypeError, "add_safe_globals", "expected a list of classes and functions", value="type"):
        serialization.add_safe_globals(Point)


def test_variables_are_tensors():
    from facula.autograd import Variable

    x = facula.ones(2, requires_grad=True)
    leaf = Variable(x * 2)
    assert type(leaf) is facula.Tensor and leaf.is_leaf and not leaf.requires_grad
    assert Variable(facula.ones(2), requires_grad=True).requires_grad
    assert isinstance(x, Variable) and not isinstance(3, Variable)
    with raises(TypeError, "Variable", "expected data to be a tensor", value="list"):
        Variable([1.0])


def test_timers_report_statistics():
    ticks = iter(range(1000))
    timer = Timer("pass", timer=lambda: next(ticks) / 10, label="nothing", num_threads=facula.get_num_threads())
    measured = timer.repeat(3, number=2)
    assert measured.times == pytest.approx([0.05] * 3) and measured.median == pytest.approx(0.05)
    assert measured.iqr == pytest.approx(0) and str(measured).startswith("nothing\n  Median: 50.00 ms")
    assert Timer(lambda: None).blocked_autorange(min_run_time=0.001).median > 0
    spread = Measurement(2, [1e-6, 2e-6, 3e-6, 4e-6, 5e-6])
    assert spread.mean == pytest.approx(1.5e-6) and spread.iqr == pytest.approx(1e-6)
    with raises(ValueError, "Timer", "expected Python", value="language='c++'"):
        Timer("x", language="c++")


def test_the_deprecated_comparison_warns():
    with pytest.warns(FutureWarning, match="assert_close has taken its place"):
        facula.testing.assert_allclose([1.0, float("nan")], facula.tensor([1.00001, float("nan")]))
    with pytest.warns(FutureWarning), pytest.raises(AssertionError):
        facula.testing.assert_allclose(facula.ones(2), 2)


def test_placements_compare_by_value():
    from facula.distributed.tensor import Partial, Placement, Replicate, Shard

    assert Shard(1) == Shard(1) != Shard(0) and Replicate() == Replicate() != Partial() == Partial("sum")
    assert len({Shard(-1), Shard(-1), Replicate(), Partial("max")}) == 3
    assert Shard(1).is_shard() and Shard(1).is_shard(1) and not Shard(1).is_shard(0) and not Replicate().is_shard()
    assert Replicate().is_replicate() and Partial("max").is_partial("max") and not Partial().is_partial("max")
    assert isinstance(Shard(0), Placement) and repr(Partial()) == "Partial(reduce_op='sum')"
