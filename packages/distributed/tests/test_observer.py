"""Observers of collectives and messages."""

import time

import facula_distributed as dist
from facula_distributed.extend import observe_exchanges
from facula_distributed.testing import run
from facula_tensor import arange, ones, tensor, zeros


class Notes:
    """Keeps what it receives, in order."""

    def __init__(self):
        self.exchanges, self.waits = [], []

    def exchanged(self, exchange, begin, end, waited, in_background):
        assert 0 <= waited <= end - begin
        self.exchanges.append((exchange, end - begin, waited, in_background))

    def awaited(self, exchange, begin, end):
        self.waits.append((exchange.operation, end - begin))


def line_of(exchange):
    code, instruction = exchange.site
    return code.co_name, [line for line, *_ in code.co_positions()][instruction // 2]


def described(notes):
    return [(one.operation, one.shapes, one.dtype, one.nbytes, one.reduction, one.peer) for one, *_ in notes.exchanges]


def all_kinds(rank):
    notes = Notes()
    value, other = ones(2, 3), 1 - rank
    dist.all_reduce(value)  # not observed
    former = observe_exchanges(notes)
    dist.all_reduce(value, op=dist.ReduceOp.MAX)
    dist.broadcast(value, src=1)
    dist.all_gather_into_tensor(zeros(4, 3), value)
    dist.all_to_all_single(zeros(3), arange(3.0), [1, 2] if rank == 0 else [2, 1], [1, 2] if rank == 0 else [2, 1])
    dist.barrier()
    dist.all_gather_object([None, None], "text" * rank)
    if rank == 0:
        dist.send(tensor([1, 2]), 1)
        dist.recv_object_list([None], 1)
    else:
        dist.recv(tensor([0, 0]))
        dist.send_object_list(["text"], 0)
    assert observe_exchanges(former) is notes
    dist.barrier()
    assert {(one.backend, one.group, one.size) for one, *_ in notes.exchanges} == {("gloo", 0, 2)}
    assert {line_of(one)[0] for one, *_ in notes.exchanges} == {"all_kinds"}
    assert not any(in_background for *_, in_background in notes.exchanges) and not notes.waits
    return described(notes), line_of(notes.exchanges[0][0])[1], other


def test_calls_are_described():
    (first, line, _), (second, *_) = run(2, all_kinds)
    assert first[:5] == [
        ("all_reduce", ((2, 3),), "float32", 24, "MAX", -1),
        ("broadcast", ((2, 3),), "float32", 24, "", 1),
        ("all_gather_into_tensor", ((2, 3),), "float32", 48, "", -1),
        ("all_to_all_single", ((3,),), "float32", 12, "", -1),
        ("barrier", (), "", 0, "", -1),
    ]
    assert first[:5] == second[:5]
    assert [row[0] for row in first[5:]] == ["all_gather_object"] * 2 + ["send", "recv_object_list"]
    assert first[7] == ("send", ((2,),), "int64", 16, "", 1) and second[7] == ("recv", ((2,),), "int64", 16, "", 0)
    assert second[8][:3] == ("send_object_list", (), "") and second[8][3] > 0 and second[8][5] == 0
    assert line == all_kinds.__code__.co_firstlineno + 5


def one_is_late(rank):
    notes, value = Notes(), ones(1)
    observe_exchanges(notes)
    dist.barrier()
    if rank:
        time.sleep(0.2)
    dist.all_reduce(value)
    if rank:
        time.sleep(0.2)
    work = dist.all_reduce(value, async_op=True)
    work.wait()
    work.wait()  # it has ended: there is nothing to report
    if rank:
        time.sleep(0.2)
        dist.send(value, 0)
    else:
        dist.recv(value, 1)
    observe_exchanges(None)
    return [(one.operation, waited, in_background) for one, _, waited, in_background in notes.exchanges], notes.waits


def test_waits_for_late_ranks():
    (early, waits), (late, _) = run(2, one_is_late)
    assert [(name, background) for name, _, background in early] == [
        ("barrier", False), ("all_reduce", False), ("all_reduce", True), ("recv", False),
    ]  # fmt: skip
    assert all(waited > 100_000_000 for _, waited, _ in early[1:])
    assert [name for name, *_ in late] == ["barrier", "all_reduce", "all_reduce", "send"]
    assert all(waited < 100_000_000 for _, waited, _ in late[1:])
    ((name, waited),) = waits
    assert name == "all_reduce" and waited > 100_000_000


def failing(rank):
    notes = Notes()
    observe_exchanges(notes)
    try:
        dist.all_reduce(ones(2 + rank))
    except dist.MismatchError:
        return described(notes)


def test_failed_calls_are_reported():
    assert run(2, failing) == [[("all_reduce", ((2 + rank,),), "float32", 8 + 4 * rank, "SUM", -1)] for rank in (0, 1)]


def alone(rank):
    notes = Notes()
    observe_exchanges(notes)
    dist.all_reduce(ones(3))
    dist.all_reduce(ones(3), async_op=True).wait()
    return [(one.size, in_background) for one, *_, in_background in notes.exchanges]


def test_a_group_of_one():
    assert run(1, alone) == [[(1, False), (1, True)]]
