"""Every collective operation against NumPy: drawn dtypes, sizes, layouts, groups and roots, on 1 to 5 ranks.

The ranks are started once; each example is a list of calls that they all make.
"""

import pickle
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import REDUCTIONS, as_array, as_tensor, reduced, values

import facula_distributed as dist
import facula_tensor
from facula_distributed import ReduceOp
from facula_distributed._collectives.checks import reduction_of
from facula_distributed._collectives.transfers import memory_of, parts_of, prepare
from facula_distributed.testing import run

THOROUGH = 60  # times as many examples in the thorough session
COUNTS = (0, 1, 5, 77, 700, 3000, 100_001)  # reduced by each rank itself, by slices, and in several rounds


class Case(NamedTuple):
    """A call."""

    operation: str
    dtype: str
    reduction: str
    count: int
    ranks: tuple
    root: int  # in the group
    layout: str  # of this rank's tensors
    is_async: bool
    lengths: list  # of the parts from each rank to each other, in rows
    seed: int


class Call:
    """A case on one rank of its group."""

    def __init__(self, case, me, group):
        self.case, self.me, self.group, self.size = case, me, group, len(case.ranks)
        self.op, self.root = getattr(ReduceOp, case.reduction), case.ranks[case.root]
        self.is_root = me == case.root

    def arrays(self, *shape):
        """Return the array of each rank."""
        return [values(self.case.dtype, shape, [self.case.seed, rank]) for rank in range(self.size)]

    def tensor(self, array):
        """Return a tensor with the elements of an array and the layout of the case."""
        made = as_tensor(array, self.case.dtype)
        if self.case.layout == "shared":
            return made.clone().share_memory_() if made.numel() else made
        if self.case.layout == "strided":
            wide = facula_tensor.stack([made, made], -1).contiguous()
            return wide[..., 1]
        return made

    def empty(self, *shape):
        return self.tensor(np.zeros_like(values(self.case.dtype, shape, 0)))

    def reduced(self, arrays):
        return reduced(arrays, self.case.dtype, self.case.reduction)

    def finish(self, work):
        if self.case.is_async:
            assert work.wait() and work.is_completed()
        else:
            assert work is None

    @property
    def options(self):
        return {"group": self.group, "async_op": self.case.is_async}


def same(results, wanted):
    assert len(results) == len(wanted)
    for result, one in zip(results, wanted, strict=True):
        found = as_array(result)
        assert found.shape == one.shape and found.dtype == one.dtype
        assert found.tobytes() == np.ascontiguousarray(one).tobytes(), (found, one)


def all_reduce(call):
    arrays = call.arrays(call.case.count)
    result = call.tensor(arrays[call.me])
    call.finish(dist.all_reduce(result, call.op, **call.options))
    same([result], [call.reduced(arrays)])


def all_reduce_coalesced(call):
    several = [call.arrays(call.case.count), call.arrays(2, 3)]
    results = [call.tensor(arrays[call.me]) for arrays in several]
    call.finish(dist.all_reduce_coalesced(results, call.op, **call.options))
    same(results, [call.reduced(arrays) for arrays in several])


def reduce(call):
    arrays = call.arrays(call.case.count)
    result = call.tensor(arrays[call.me])
    call.finish(dist.reduce(result, call.root, call.op, **call.options))
    same([result], [call.reduced(arrays) if call.is_root else arrays[call.me]])


def reduce_scatter(call):
    arrays = call.arrays(call.size, call.case.count)
    result = call.empty(call.case.count)
    call.finish(dist.reduce_scatter(result, [call.tensor(row) for row in arrays[call.me]], call.op, **call.options))
    same([result], [call.reduced([one[call.me] for one in arrays])])


def reduce_scatter_tensor(call):
    arrays = call.arrays(call.size, call.case.count)
    result, given = call.empty(call.case.count), call.tensor(arrays[call.me])
    given = given.reshape(-1) if call.case.seed % 2 else given
    call.finish(dist.reduce_scatter_tensor(result, given, call.op, **call.options))
    same([result], [call.reduced([one[call.me] for one in arrays])])


def reduce_unequal_parts(call):
    """Reduce a tensor, and scatter parts of different lengths, as no function of PyTorch does."""
    name, counts = "reduce_scatter_tensor", call.case.lengths[0]
    arrays = call.arrays(sum(counts))
    result, given = call.empty(counts[call.me]), call.tensor(arrays[call.me])
    prepared = prepare(
        call.group, name, like=given, send=parts_of(name, given, counts),
        receive=[memory_of(name, result, is_written=True)], reduction=reduction_of(name, call.op, given),
    )  # fmt: skip
    prepared.run()
    start = sum(counts[: call.me])
    same([result], [call.reduced(arrays)[start : start + counts[call.me]]])


def broadcast(call):
    arrays = call.arrays(call.case.count)
    result = call.tensor(arrays[call.me])
    call.finish(dist.broadcast(result, call.root, **call.options))
    same([result], [arrays[call.case.root]])


def all_gather(call):
    arrays = call.arrays(call.case.count)
    results = [call.empty(call.case.count) for _ in arrays]
    call.finish(dist.all_gather(results, call.tensor(arrays[call.me]), **call.options))
    same(results, arrays)


def all_gather_coalesced(call):
    several = [call.arrays(call.case.count), call.arrays(3, 2)]
    results = [[call.empty(*one[0].shape) for one in several] for _ in range(call.size)]
    call.finish(dist.all_gather_coalesced(results, [call.tensor(one[call.me]) for one in several], **call.options))
    for rank, found in enumerate(results):
        same(found, [one[rank] for one in several])


def all_gather_into_tensor(call):
    arrays = call.arrays(call.case.count)
    shape = (call.size, call.case.count) if call.case.seed % 2 else (call.size * call.case.count,)
    result = call.empty(*shape)
    call.finish(dist.all_gather_into_tensor(result, call.tensor(arrays[call.me]), **call.options))
    same([result], [np.concatenate(arrays).reshape(shape)])


def gather(call):
    arrays = call.arrays(call.case.count)
    results = [call.empty(call.case.count) for _ in arrays] if call.is_root else None
    call.finish(dist.gather(call.tensor(arrays[call.me]), results, call.root, **call.options))
    same(results or [], arrays if call.is_root else [])


def scatter(call):
    rows = call.arrays(call.size, call.case.count)[call.case.root]
    result = call.empty(call.case.count)
    inputs = [call.tensor(row) for row in rows] if call.is_root else None
    call.finish(dist.scatter(result, inputs, call.root, **call.options))
    same([result], [rows[call.me]])


def parts(call):
    """Return what each rank sends to each other, a matrix of arrays."""
    return [
        [values(call.case.dtype, (call.case.lengths[one][other], 3), [call.case.seed, one, other])
         for other in range(call.size)] for one in range(call.size)
    ]  # fmt: skip


def all_to_all(call):
    sent = parts(call)
    results = [call.empty(*sent[other][call.me].shape) for other in range(call.size)]
    call.finish(dist.all_to_all(results, [call.tensor(one) for one in sent[call.me]], **call.options))
    same(results, [one[call.me] for one in sent])


def all_to_all_single(call):
    sent = parts(call)
    received = [one[call.me] for one in sent]
    result, given = call.empty(sum(map(len, received)), 3), call.tensor(np.concatenate(sent[call.me]))
    sizes = list(map(len, received)), list(map(len, sent[call.me]))
    call.finish(dist.all_to_all_single(result, given, *sizes, **call.options))
    same([result], [np.concatenate(received)])


def all_to_all_of_equal_parts(call):
    arrays = call.arrays(call.size, call.case.count % 100)
    result = call.empty(*arrays[0].shape)
    call.finish(dist.all_to_all_single(result, call.tensor(arrays[call.me]), **call.options))
    same([result], [np.stack([one[call.me] for one in arrays])])


def objects(call):
    """Call all operations for objects."""
    everything = [{"rank": rank, "array": array} for rank, array in enumerate(call.arrays(call.case.count))]
    pickled = list(map(pickle.dumps, everything))
    places = [None] * call.size
    dist.all_gather_object(places, everything[call.me], call.group)
    assert list(map(pickle.dumps, places)) == pickled
    places = [None] * call.size if call.is_root else None
    dist.gather_object(everything[call.me], places, call.root, call.group)
    assert not call.is_root or list(map(pickle.dumps, places)) == pickled
    places = [everything[call.me], call.me]
    dist.broadcast_object_list(places, call.root, call.group)
    assert places[1] == call.case.root and pickle.dumps(places[0]) == pickled[call.case.root]
    place = [None]
    dist.scatter_object_list(place, everything if call.is_root else None, call.root, call.group)
    assert pickle.dumps(place[0]) == pickled[call.me]


def messages(call):
    """Send to the next rank, and receive from the one before, in all ways."""
    if call.size == 1:
        return
    arrays, ranks = call.arrays(call.case.count), call.case.ranks
    after, before = ranks[(call.me + 1) % call.size], ranks[(call.me - 1) % call.size]
    sent, results = call.tensor(arrays[call.me]), [call.empty(call.case.count) for _ in range(3)]
    work = dist.batch_isend_irecv(
        [dist.P2POp(dist.irecv, results[0], before, call.group), dist.P2POp(dist.isend, sent, after, call.group)]
    )
    assert all(one.wait() for one in work)
    background = dist.irecv(results[1], before, call.group, tag=1)
    dist.send(sent, after, call.group)
    dist.send(sent, after, call.group, tag=1)
    assert dist.recv(results[2], before, call.group) == before
    assert background.wait()
    same(results, [arrays[call.me - 1]] * 3)


def barrier(call):
    call.finish(dist.barrier(**call.options))
    dist.monitored_barrier(call.group)


OPERATIONS = {
    one.__name__: one
    for one in (
        all_reduce, all_reduce_coalesced, reduce, reduce_scatter, reduce_scatter_tensor, reduce_unequal_parts,
        broadcast, all_gather, all_gather_coalesced, all_gather_into_tensor, gather, scatter, all_to_all,
        all_to_all_single, all_to_all_of_equal_parts, objects, messages, barrier,
    )
}  # fmt: skip
_groups = {}


def check(rank, cases):
    """Run cases on one rank."""
    for case in cases:
        if case.ranks not in _groups:
            _groups[case.ranks] = dist.new_group(list(case.ranks))
        if rank in case.ranks:
            try:
                OPERATIONS[case.operation](Call(case, case.ranks.index(rank), _groups[case.ranks]))
            except Exception as error:
                error.add_note(repr(case))
                raise


@st.composite
def cases(draw, size, operation):
    """Draw a call: the whole group half of the time."""
    dtype = draw(st.sampled_from(list(REDUCTIONS)))
    some = st.sets(st.integers(0, size - 1), min_size=1).map(lambda ranks: tuple(sorted(ranks)))
    ranks = draw(st.one_of(st.just(tuple(range(size))), some))
    lengths = st.lists(st.sampled_from((0, 1, 2, 9)), min_size=len(ranks), max_size=len(ranks))
    return Case(
        operation, dtype, draw(st.sampled_from(REDUCTIONS[dtype])), draw(st.sampled_from(COUNTS)), ranks,
        draw(st.integers(0, len(ranks) - 1)), draw(st.sampled_from(("usual", "strided", "shared"))),
        draw(st.booleans()), draw(st.lists(lengths, min_size=len(ranks), max_size=len(ranks))),
        draw(st.integers(0, 1000)),
    )  # fmt: skip


@pytest.mark.parametrize("times", [1, pytest.param(THOROUGH, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_every_collective_returns_what_numpy_does(size, times):
    @settings(max_examples=times * settings().max_examples // 3)
    @given(st.tuples(*(cases(size, operation) for operation in OPERATIONS)))
    def compare(drawn):
        run(size, check, drawn)

    compare()


def check_large(rank, word=""):
    """Check large tensors, of the operations whose names contain a word."""
    for number, operation in enumerate(one for one in OPERATIONS if word in one):
        for dtype, count in (("float32", 700_001), ("int8", 2_000_003))[: 1 + ("reduce" in operation)]:
            lengths = [[100_000, 1, 0], [300_001, 2, 9], [0, 5, 400_000]]
            case = Case(operation, dtype, "SUM", count, (0, 1, 2), number % 3, "usual", False, lengths, 7)
            check(rank, [case])


def test_every_collective_of_several_rounds():
    run(3, check_large)
