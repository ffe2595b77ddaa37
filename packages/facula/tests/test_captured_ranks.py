"""Captured functions of several processes: collectives and models whose gradients are averaged, in replays."""

import io
import os
import signal
import threading
from datetime import timedelta

import pytest
from rank_models import TIMEOUT, errors, run

import facula
import facula.distributed as dist
from facula import nn
from facula.jit import capture
from facula_distributed.extend import observe_exchanges
from facula_errors.testing import raises


# ------------------------------------------------------------------------------------------------------ collectives
def reduced(x, kept, rank, size, group):
    y = x * 2
    dist.all_reduce(y)  # a temporary
    dist.all_reduce(x, op=dist.ReduceOp.MAX)  # an argument
    dist.all_reduce(kept, op=dist.ReduceOp.AVG)  # memory of the program, shared
    dist.reduce(kept, dst=1)
    return y + 1


def copied(x, kept, rank, size, group):
    whole, parts = x.new_zeros(size, *x.shape), [facula.zeros_like(x) for _ in range(size)]
    dist.all_gather_into_tensor(whole, x)
    dist.all_gather(parts, x + 1)
    dist.broadcast(kept, src=size - 1)
    gathered = [facula.zeros_like(x) for _ in range(size)]
    dist.gather(x, gathered if rank == 0 else None, dst=0)
    dist.scatter(x, [part + 3 for part in parts] if rank == 1 else None, src=1)
    return whole, parts, gathered


def scattered(x, kept, rank, size, group):
    own, other = x.new_zeros(2, 3), x.new_zeros(2, 3)
    dist.reduce_scatter_tensor(own, x.repeat(size, 1)[: 2 * size, :3])  # not contiguous
    dist.reduce_scatter(other, [x[:2, :3] * k for k in range(size)], op=dist.ReduceOp.MIN)
    counts = [1 + (k + rank) % 2 for k in range(size)]
    received = x.new_zeros(sum(counts), 5)
    dist.all_to_all_single(received, x.repeat(2, 1)[: sum(counts)], counts, counts)
    lists = [x.new_zeros(3) for _ in range(size)]
    dist.all_to_all(lists, [x[0, :3] + k for k in range(size)])
    return own, other, received, lists


def in_columns(x, kept, rank, size, group):
    dist.all_reduce(kept.T)
    dist.broadcast(x[:, 1:3], src=0)
    dist.all_gather_into_tensor(x.new_zeros(4, size * 5).T, x.T)
    dist.barrier()
    return x + 0


def coalesced(x, kept, rank, size, group):
    parts = [x * 2, kept]
    dist.all_reduce_coalesced(parts)
    lists = [[facula.zeros_like(x), facula.zeros_like(kept)] for _ in range(size)]
    dist.all_gather_coalesced(lists, parts)
    return lists


def in_the_background(x, kept, rank, size, group):
    first = dist.all_reduce(x, async_op=True)
    second = dist.broadcast(kept, src=0, async_op=True)
    y = kept.sum() if second.wait() else 0
    first.wait()
    assert first.is_completed() and second.is_success()
    return x + y


def in_a_group(x, kept, rank, size, group):
    if dist.get_rank(group) >= 0:
        dist.all_reduce(x, group=group)
        dist.broadcast(kept, group=group, group_src=1)
    return x * 2


def large(x, kept, rank, size, group):
    y = x.repeat(20000, 1)  # beyond one window of a reduction
    dist.all_reduce(y)
    whole = x.new_zeros(size * 80000, 5)
    dist.all_gather_into_tensor(whole, y)
    return whole.sum(1)[::777], y[::1000]


FUNCTIONS = [reduced, copied, scattered, in_columns, coalesced, in_the_background, in_a_group, large]


def parts_of(value):
    return value.tolist() if isinstance(value, facula.Tensor) else [parts_of(one) for one in value]


def check_collectives(rank, size, dtype):
    group = dist.new_group([0, size - 1])
    for function in FUNCTIONS:
        found = []
        captured = capture(function, on_break="error", check=2)
        for call in (function, captured):
            kept = facula.arange(20.0, dtype=dtype).reshape(4, 5) * (rank + 1)
            if function is reduced:
                kept.share_memory_()
            results = []
            for number in range(4):
                x = facula.arange(20.0, dtype=dtype).reshape(4, 5) + 7 * rank + number
                results.append([parts_of(call(x, kept, rank, size, group)), x.tolist(), kept.tolist()])
            found.append(results)
        assert found[0] == found[1], function.__name__
        assert "replayed 3 times (1 checked)" in captured.report(), captured.report()
    dist.destroy_process_group(group) if rank in (0, size - 1) else None


@pytest.mark.parametrize(("size", "dtype"), [(2, facula.float32), (3, facula.bfloat16)])
def test_replays_have_the_results_of_eager_calls(size, dtype):
    run(size, check_collectives, size, dtype)


# ----------------------------------------------------------------------------------------------------------- groups
def check_other_groups(rank, folder):
    step, kept = capture(lambda x: dist.all_reduce(x) or x * dist.get_world_size()), []
    for number in range(3):
        kept += [step(facula.ones(2) + rank).tolist() for _ in range(3)]
        if number == 0:
            dist.new_group([0, 1])
        elif number == 1:
            dist.destroy_process_group()
            dist.init_process_group("gloo", f"file://{folder}/again", rank=1 - rank, world_size=2)
    dist.destroy_process_group()
    with pytest.raises(ValueError, match="init_process_group"):
        step(facula.ones(2))
    assert kept == [[6.0, 6.0]] * 9
    return step.report().count("captured again because the process groups")


def test_other_process_groups_are_captured_again(tmp_path):
    assert run(2, check_other_groups, str(tmp_path), timeout=TIMEOUT) == [2, 2]


def check_different_ranks(rank):
    """One rank replays, the other captures in each call, or runs eagerly; another replays after other operations."""
    factor = [1]

    @capture(check=3 if rank else 0)
    def step(x):
        y = x * factor[0]
        dist.all_reduce(y)
        dist.barrier()
        return y

    found = []
    for number in range(9):
        factor[0] = 1 if rank == 0 else 1 + number % 3
        work = dist.all_reduce(facula.ones(1), async_op=True)
        found.append((step.function if rank and number % 4 == 3 else step)(facula.ones(3)).tolist())
        work.wait()
    return found


def test_ranks_replay_record_and_run_eagerly_independently():
    first, second = run(2, check_different_ranks)
    assert first == second == [[2.0 + number % 3] * 3 for number in range(9)]


# ----------------------------------------------------------------------------------------------------------- errors
def check_mismatch(rank):
    kept = facula.ones(3)

    def step(x):
        y = kept.add_(1) * 2
        dist.all_reduce(y)
        kept.add_(y)
        return y

    captured = capture(step)
    for _ in range(3):
        captured(facula.ones(3))
    before = kept.clone()
    with pytest.raises(RuntimeError) as caught:
        captured(facula.ones(3)) if rank == 0 else dist.all_reduce(facula.ones(4))
    assert kept.tolist() == (before + (rank == 0)).tolist()
    kept.copy_(before)
    return str(caught.value), captured(facula.ones(3)).tolist()


def test_ranks_that_call_other_operations():
    (first, one), (second, other) = run(2, check_mismatch)
    for message in (first, second):
        assert "all_reduce: collective" in message and "shape (3,)" in message and "shape (4,)" in message
        assert message.count("test_captured_ranks.py:") == 2
    assert one == other


def check_failure(rank, how):
    step, pids = capture(lambda x: dist.all_reduce(x) or x + 1), [None, None]
    dist.all_gather_object(pids, os.getpid())
    for _ in range(3):
        step(facula.ones(3))
    if rank == 1 and how == "raises":
        raise ValueError("a bad sample")
    if rank == 1 and how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if rank == 1 and how == "late":
        threading.Event().wait(1)
    if how == "interrupted":  # shells start jobs in the background without this handler
        signal.signal(signal.SIGINT, signal.default_int_handler)
        dist.barrier()
    if rank == 1 and how == "interrupted":
        os.kill(pids[0], signal.SIGINT)
        threading.Event().wait(1)
    step(facula.ones(3))


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ("raises", "RankError: all_reduce: rank 1 has ended"),
        ("killed", "RankError: all_reduce: rank 1 has ended"),
        ("late", "DistTimeoutError: all_reduce: rank 1 did not join collective 7, all_reduce(float32, shape (3,), "),
        ("interrupted", "KeyboardInterrupt: "),
    ],
)
def test_ranks_that_do_not_come(how, word):
    options = {"timeout": timedelta(seconds=0.5)} if how == "late" else {}
    first, _ = errors(2, check_failure, how, **options)
    assert first.startswith(word) and ("test_captured_ranks.py:" in first or how == "interrupted")


# ------------------------------------------------------------------------------------------------- what is refused
class Doubled(facula.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        dist.all_reduce(g)
        return g


def branches(x):
    def reduced(x):
        dist.all_reduce(x)
        return x + 1

    return facula.cond(x.sum() > 0, reduced, lambda x: x + 2, (x,))


def objects(x):
    dist.all_gather_object([None, None], 1)
    return x + 1


def messages(x):
    (dist.isend(x, 1) if dist.get_rank() == 0 else dist.irecv(x, 0)).wait()
    return x + 1


def stores(x, store=dist.HashStore()):  # noqa: B008
    store.set("key", "value")
    return x + 1


WEIGHT = facula.ones(2, requires_grad=True)
REFUSED = {
    branches: "all_reduce",
    objects: "all_gather_object",
    messages: "communicates with other processes",
    stores: "Store.set communicates with other processes",
    lambda x: (dist.new_group([0, 1]), x + 1)[1]: "new_group",
    lambda x: (dist.monitored_barrier(), x + 1)[1]: "monitored_barrier",
    lambda x: (dist.report(), x + 1)[1]: "report",
    lambda x: Doubled.apply(x * WEIGHT): "all_reduce runs in a backward pass outside",
}


def check_refusals(rank):
    for function, word in REFUSED.items():
        captured = capture(function)
        with pytest.warns(UserWarning, match=word):
            captured(facula.ones(2))
        for _ in range(2):
            captured(facula.ones(2))
        assert "replayed" not in captured.report(), captured.report()
    step = capture(lambda x: dist.all_reduce(x) or x + 1)
    for _ in range(3):
        step(facula.ones(2))
    for run_too in (False, True):
        with raises(facula.jit.SaveError, "save", "all_reduce communicates with other processes"):
            facula.jit.save(step, io.BytesIO(), run=run_too)
    graph = step.graph()
    assert str(graph).count("all_reduce(x0, 'SUM')") == 1 and graph.times()[0] == 0 and "all_reduce" in graph.table()


def test_what_cannot_be_captured_or_saved_is_named():
    run(2, check_refusals)


def check_graphs_of_gradients(rank):
    def loss(x):
        total = x.sum()
        dist.all_reduce(total)
        return (x * WEIGHT).square().sum() * total

    step = capture(loss)
    for _ in range(6):
        found = step(facula.ones(2))
    if rank == 0:  # a second all_reduce would meet the next one of the other rank
        with raises(RuntimeError, "backward", "effects besides its results", "repeat this one"):
            facula.autograd.grad(found, WEIGHT, create_graph=True)
    found = step(facula.full((2,), 3.0))
    assert found.item() == 18 * 12 and ("runs eagerly" in step.report()) == (rank == 0)
    if rank == 0:
        (gradient,) = facula.autograd.grad(found, WEIGHT, create_graph=True)
        assert gradient.tolist() == [216, 216] and gradient.requires_grad


def test_graphs_of_gradients_repeat_no_collectives():
    run(2, check_graphs_of_gradients)


class Reduced(nn.Module):
    def forward(self, x):
        dist.all_reduce(x)
        return x + 1


def check_export(rank):
    with raises(RuntimeError, "onnx.export", "all_reduce communicates with other processes"):
        facula.onnx.export(Reduced(), (facula.ones(2),), io.BytesIO())


def test_collectives_are_not_exported():
    pytest.importorskip("onnx")
    run(2, check_export)


# ---------------------------------------------------------------------------------------------- reports and profiles
class Notes:
    def __init__(self):
        self.found = []

    def exchanged(self, exchange, begin, end, waited, in_background):
        self.found.append((exchange.operation, exchange.shapes, exchange.nbytes, in_background))


def check_reports(rank):
    step = capture(lambda x: dist.all_reduce(x) or x + 1)
    notes = Notes()
    step(facula.ones(3))
    dist.report()
    for _ in range(4):
        step(facula.ones(3))
    (row,) = [one for one in dist.report().lines if one.operation == "all_reduce"]
    former = observe_exchanges(notes)
    step(facula.ones(3))
    assert observe_exchanges(former) is notes
    return row.calls, row.line.rpartition(":")[0].rpartition("/")[2], notes.found


def test_replays_are_reported():
    for calls, file, found in run(2, check_reports):
        assert (calls, file, found) == (4, "test_captured_ranks.py", [("all_reduce", ((3,),), 12, False)])
