"""Passes over graphs, separately, and user-defined passes: the remaining launches, with the same results."""

from functools import partial
from threading import Thread

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_jit import CaptureError, Use, capture, cond, passes, while_loop
from facula_storage import contiguous, float32
from facula_storage.extend import Instruction, Program
from facula_tensor.functional import batch_norm, dropout

WEIGHT = ft.ones(4, 4)
COUNTS = ft.zeros(4)
MEANS, VARIANCES = ft.zeros(4), ft.ones(4)


def counted(x):
    COUNTS.add_(1)
    return x + COUNTS


def changed_between(x):
    a = x * 2
    x.add_(1)
    return a + x * 2


def chosen(x):
    y = x.exp()
    return cond(x.sum() > 0, lambda: x.exp() + y.neg(), lambda: x.abs() - y.neg()) + x.abs()


def turned(x):
    y = x.exp()
    return while_loop(lambda n, h: n < 3, lambda n, h: (n + 1, h.exp() + x.exp()), (ft.tensor(0), x))[1] - y


def copied(x):
    return while_loop(lambda n, h: n < 3, lambda n, h: (n + 1, h.clone() * h + x.clone()), (ft.tensor(0), x))[1]


def carried(x):
    y = x @ WEIGHT
    return while_loop(lambda n, h: n < 3, lambda n, h: (n + 1, h * y), (ft.tensor(0), x))[1]


def normed(x):
    return batch_norm(x, MEANS, VARIANCES, training=True)


# For each pass: a function, and the remaining operators.
TABLE = {
    "a constant": (passes.fold_constants, lambda x: x + ft.tensor([1.0, 2.0, 3.0, 4.0]), "add"),
    "of constants": (passes.fold_constants, lambda x: x + ft.arange(4.0).square().neg(), "add"),
    "a mask": (passes.fold_constants, lambda x: x + ft.full((4, 4), -1.0).triu(), "add"),
    "a tensor of the program is none": (passes.fold_constants, lambda x: x + WEIGHT.neg(), "neg add"),
    "what is changed is none": (passes.fold_constants, lambda x: x + ft.zeros(4).add_(x[0]), "fill add add"),
    "large ones are none": (passes.fold_constants, lambda x: x[0, 0] + ft.zeros(200, 200).neg(), "fill neg add"),
    "draws are none": (passes.fold_constants, lambda x: x + ft.rand(4), "uniform add"),
    "the same twice": (passes.merge_common, lambda x: x.exp() + x.exp(), "exp add"),
    "of the same twice": (passes.merge_common, lambda x: x.exp().neg() * x.exp().neg(), "exp neg mul"),
    "products": (passes.merge_common, lambda x: (x @ WEIGHT) * (x @ WEIGHT), "matmul mul"),
    "other numbers": (passes.merge_common, lambda x: x * 0.0 - x * -0.0, "mul mul sub"),
    "the other way round": (passes.merge_common, lambda x: (2 - x) * (x - 2), "sub sub mul"),
    "changed meanwhile": (passes.merge_common, changed_between, "mul add mul add"),
    "statistics twice": (passes.merge_common, lambda x: normed(x) + normed(x), "batch_norm batch_norm add"),
    "draws twice": (passes.merge_common, lambda x: dropout(x) + dropout(x), "dropout dropout add"),
    "not needed": (passes.drop_dead, lambda x: [x + 1, (x @ WEIGHT).exp()][0], "add"),
    "what can fail": (passes.drop_dead, lambda x: [x + 1, x[ft.tensor([0, 1])]][0], "add copy take"),
    "a change of the program's": (passes.drop_dead, lambda x: [counted(x), x][0], "add add"),
    "in the same order": (passes.skip_copies, lambda x: (x * 2).clone().view(2, 8).neg(), "mul neg"),
    "changed afterwards": (passes.skip_copies, lambda x: [y := x * 2, z := y.clone(), y.add_(1), z + 1][-1],
                           "mul copy add add"),
    "a chain": (passes.fuse_elementwise, lambda x: (x * 2 + 1).relu(), "fused"),
    "other shapes": (passes.fuse_elementwise, lambda x: (x * 2).sum(0) + 1, "mul sum add"),
    "around another": (passes.fuse_elementwise, lambda x: [y := x * 2, z := x @ WEIGHT, y + 1 - z][-1], "matmul fused"),
    "behind a change": (passes.fuse_elementwise, changed_between, "fused"),
    "views": (passes.fuse_elementwise, lambda x: (x * 2).view(2, 8).neg(), "fused"),
    "transposed": (passes.fuse_elementwise, lambda x: (x * 2).t() + x, "mul add"),
    "halves": (passes.fuse_elementwise, lambda x: (x.half() * 2 + 1).neg(), "fused"),
    "several dtypes": (passes.fuse_elementwise, lambda x: (x.half() * WEIGHT.bfloat16()).float().neg(), "fused"),
    "bools": (passes.fuse_elementwise, lambda x: (x > 0) & (x < 1), "fused"),
    "under conditions": (passes.merge_common, chosen, "exp sum gt copy neg add copy abs neg sub copy abs add"),
    "in each turn": (passes.merge_common, turned, "exp fill copy copy lt copy add exp add copy copy sub"),
    "a condition about nothing": (passes.drop_dead, lambda x: [chosen(x), x + 1][1], "add"),
    "what the next turn reads": (passes.drop_dead, lambda x: [turned(x), x + 1][1],
                                 "fill copy copy lt copy add exp exp add copy copy add"),
    "a copy of what a loop changes": (passes.skip_copies, copied, "fill copy copy lt copy add copy mul add copy copy"),
    "not over a jump": (passes.fuse_elementwise, chosen, "exp sum fused fused fused fused"),
    "what all turns read": (passes.write_in_place, carried, "matmul fill copy lt copy add mul copy copy"),
    "in place": (passes.write_in_place, lambda x: (x @ WEIGHT).exp() @ WEIGHT, "matmul exp matmul"),
}  # fmt: skip


def replays(captured):
    return [replay for kind in captured._entries.values() for replay in kind.replays]


@pytest.mark.parametrize("name", TABLE)
def test_remaining_operators(name):
    one, function, left = TABLE[name]
    captured = capture(function, passes=(one,), on_break="error")
    COUNTS.zero_()
    for number in range(5):
        seen = []
        for call in (function, captured):
            ft.manual_seed(number)
            seen.append(call(ft.randn(4, 4)))
            if name == "a change of the program's":
                assert COUNTS[0].item() == 2 * number + len(seen)
        if name != "a change of the program's":
            assert seen[0].tolist() == seen[1].tolist() and seen[0].dtype is seen[1].dtype
    assert [call.operator for call in captured.graph().calls] == left.split()


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_half_precision_rounded_only_at_the_end(name):
    """With emulate_precision_casts=False, only the function's own conversions round."""

    dtype = getattr(ft, name)

    def function(x, half=dtype):
        y = x.to(dtype).to(half)
        return (y * 0.3 + 7).exp() - y.float() * 3, ft.where(y > 1, y.square().square(), 0.1).to(dtype)

    once = partial(passes.fuse_elementwise, emulate_precision_casts=False)
    captured = capture(function, passes=[once if step is passes.fuse_elementwise else step for step in passes.DEFAULT])
    for _ in range(4):
        x = ft.randn(4, 401)
        found, wanted, rounded = captured(x), function(x, ft.float32), function(x)
    assert [call.operator for call in captured.graph().calls] == ["fused"]
    for result, other, eager in zip(found, wanted, rounded, strict=True):
        assert result.dtype is eager.dtype and result.tolist() == other.tolist() != eager.tolist()


def test_memory_is_reused():
    def function(x):
        return (x @ WEIGHT).exp() @ WEIGHT

    pools = []
    for some in ((), (passes.write_in_place,)):
        captured = capture(function, passes=some)
        for _ in range(4):
            captured(ft.ones(4, 4))
        pools.append(replays(captured)[0].pool_bytes)
    assert pools == [128, 64]


def test_checkpoints_stay():
    """Values that are recomputed to save memory are not stored instead."""

    def function(x):
        large = x.exp().sum()
        for _ in range(4):
            x = x @ WEIGHT[:, :] * 0.5
        return large + x.exp().sum()

    captured = capture(lambda x: [y := x[0].expand(400, 4) * 2, (y.exp() @ WEIGHT)[0], function(y[:4]),
                                  (y.exp() @ WEIGHT)[1]][1:], passes=(passes.merge_common,))  # fmt: skip
    for _ in range(3):
        captured(ft.ones(4, 4))
    assert replays(captured)[0].pool_bytes <= 3 * 400 * 4 * 4


def test_passes_run_when_a_capture_is_replayed_again():
    seen = []
    captured = capture(lambda x: x * 2 + 1, passes=(lambda graph: seen.append(len(graph.calls)),))
    counts = []
    for _ in range(5):
        captured(ft.ones(2))
        counts.append(len(seen))
    assert counts == [0, 0, 1, 1, 1] and seen == [2]
    assert "before passes" not in captured.report()
    captured = capture(lambda x: x * 2 + 1)
    captured(ft.ones(2))
    assert "fused(x0 * 2 + 1)" in str(captured.graph()) and "1 launch (before passes 2)" in captured.report()


def test_earlier_results_keep_their_backward():
    """Results of the launches before passes are differentiated by their own backward."""
    weight = ft.ones(4, requires_grad=True)
    captured = capture(lambda x: ((x * weight).exp() * 2 + 1).sum())
    x = ft.arange(4.0)
    (captured.function(x)).backward()
    wanted = weight.grad.tolist()
    results = [captured(x) for _ in range(5)]
    for result in results:
        weight.grad = None
        result.backward()
        assert weight.grad.tolist() == wanted


def test_memory_that_two_tensors_share():
    """Tensors over the same array change together, which only their addresses show."""
    array = np.ones(6, np.float32)
    one, other, rest = [ft.from_numpy(part) for part in (array[:4], array[:4], array[2:])]

    def function(x):
        first = other * 2 + rest.neg()
        one.add_(x)
        second = other * 2 + rest.neg()
        rest.mul_(0.5)
        return first, second, other + rest

    captured = capture(function)
    found = []
    for call in (function, captured):
        array[:] = 1
        found.append([[part.tolist() for part in call(ft.arange(4.0) * number)] for number in range(5)])
    assert found[0] == found[1] and replays(captured)[0].served == 4


def test_errors_preserve_earlier_effects():
    """A change of a program's tensor remains if a later launch fails, as in eager code."""
    own = ft.zeros(3)

    def function(x, places):
        own.copy_(x * 2 + 1)
        made = x[places]
        own.mul_(3)
        return made

    captured = capture(function)
    x = ft.ones(3)
    for number in range(4):
        captured(x * number, ft.tensor([0, 1]))
    with pytest.raises(IndexError):
        captured(x * 7, ft.tensor([0, 5]))
    assert own.tolist() == [15.0] * 3


def doubled(graph):
    """Replace x * 2 by x + x."""
    for call in graph.calls:
        if call.operator == "mul" and call.inputs[1:] == (2,):
            (x, _), outputs = call.inputs, call.outputs
            graph.replace(call, graph.call("add", [x, x], outputs, like=call))


def test_a_user_defined_pass():
    captured = capture(lambda x: (x * 2).exp() * 3, passes=(doubled,))
    for _ in range(4):
        assert captured(ft.ones(3)).tolist() == (ft.ones(3) * 2).exp().mul(3).tolist()
    assert str(captured.graph()).splitlines()[2:5] == [
        "    t0 = add(x0, x0)",
        "    t1 = exp(t0)",
        "    y0 = mul(t1, 3)",
    ]


def test_programs_and_temporaries_of_user_defined_passes():
    def squared(graph):
        (call,) = graph.calls
        (x, _), (y,) = call.inputs, call.outputs
        made = graph.temporary(contiguous((2, 3), float32))
        program = Program("shifted", 2, (), (Instruction("mul", (0, 0)), Instruction("add", (2, 1))), (3,))
        graph.replace(call, graph.call(program, [x, 1.0], [made], like=call), graph.call("neg", [made], [y], like=call))

    captured = capture(lambda x: x * 2, passes=(squared, passes.fuse_elementwise))
    for _ in range(4):
        found = captured(ft.full((2, 3), 3.0))
    assert found.tolist() == [[-10.0] * 3] * 2
    assert "    y0 = fused(neg(x0 * x0 + 1))" in str(captured.graph())


def removed(graph):
    graph.remove(graph.calls[0])


def moved(graph):
    first, second = graph.calls
    graph.replace(first, second)
    graph.replace(second, first)


def lost(graph):
    graph.remove(graph.calls[-1])


def overwrites(graph):
    last = graph.calls[-1]
    own = last.inputs[1]
    graph.replace(last, last, graph.call("neg", [own], [own], like=last))


BROKEN = {
    removed: "pass removed broke the graph; call 0 ... matmul ... reads t0, which is not written",
    moved: "pass moved broke the graph; call 0 ... matmul ... reads t0, which is not written",
    lost: "pass lost broke the graph; no call writes y0 any more",
    overwrites: "pass overwrites broke the graph; call 2 ... neg ... writes c0, which the function does not",
}


@pytest.mark.parametrize("broken", BROKEN)
def test_passes_that_break_a_graph(broken):
    captured = capture(lambda x: (x * 2) @ WEIGHT, passes=(broken,))
    captured(ft.ones(4, 4)), captured(ft.ones(4, 4))
    with raises(CaptureError, "capture", BROKEN[broken]):
        captured(ft.ones(4, 4))


def undecided(graph):
    graph.remove(next(call for call in graph.calls if call.parameters == (float32,)))


def one_sided(graph):
    graph.remove(graph.calls[-1])


def of_one_side(graph):
    exp = next(call for call in graph.calls if call.operator == "exp")
    last = graph.calls[-1]
    graph.replace(last, graph.call("neg", [exp.outputs[0]], last.outputs, like=last))


JUMPS_BROKEN = {
    undecided: "pass undecided broke the graph; t2 ... decides what runs before it is written",
    one_sided: "pass one_sided broke the graph; y0 is a result that is never written",
    of_one_side: "pass of_one_side broke the graph; call 6 ... neg ... reads t4 ... which is not written before",
}


@pytest.mark.parametrize("broken", JUMPS_BROKEN)
def test_passes_that_break_conditions(broken):
    captured = capture(lambda x: cond(x.sum() > 0, lambda: x.exp(), lambda: x.abs()), passes=(broken,))
    captured(ft.ones(4, 4)), captured(ft.ones(4, 4))
    with raises(CaptureError, "capture", JUMPS_BROKEN[broken]):
        captured(ft.ones(4, 4))


def test_calls_with_optimizer_scalars_stay():
    optim = pytest.importorskip("facula_optim")
    weight = ft.ones(4, requires_grad=True)
    optimizer = optim.SGD([weight], lr=0.1)

    def step(x):
        optimizer.zero_grad()
        (x * weight).sum().backward()
        optimizer.step()

    captured = capture(step, passes=(lost,), check=0)
    captured(ft.ones(4)), captured(ft.ones(4))
    with raises(CaptureError, "capture", "takes an optimizer's numbers was removed"):
        captured(ft.ones(4))


def test_wrong_arguments():
    captured = capture(lambda x: (x * 2).exp() @ WEIGHT)
    captured(ft.ones(4, 4))
    graph, other = captured.graph(), capture(lambda x: x.neg())
    other(ft.ones(4))
    call, stranger = graph.calls[0], other.graph().calls[0]
    x, t = graph.values[0], next(value for value in graph.values if value.kind == "temporary")
    refused = {
        "replace: expected a call of this graph": lambda: graph.remove(stranger),
        "replace: expected calls of this graph": lambda: graph.replace(call, stranger),
        "redirect: expected a temporary; got x0, which is an argument": lambda: graph.redirect(x, t),
        "redirect: expected a value of this graph": lambda: graph.redirect(stranger.inputs[0].value, t),
        "redirect: expected a value other": lambda: graph.redirect(t, t),
        "call: expected like to be a call": lambda: graph.call("neg", [x], [t], like=None),
        "call: expected values; got 3": lambda: graph.call("neg", [x], [3], like=call),
        "call: expected values and numbers": lambda: graph.call("neg", ["x"], [t], like=call),
        "call: expected a layout within t0": lambda: graph.call(
            "neg", [x], [Use(t, contiguous((5, 4), float32), 0)], like=call
        ),
        "call: expected operands and parameters of matmul": lambda: graph.call("matmul", [x, x, x, x], [t], like=call),
        "call: expected operands and parameters of softmax": lambda: graph.call(
            "softmax", [x, x], [t], parameters=(1,), like=call
        ),
        "linear: expected ranks that match": lambda: graph.call("linear", [x], [t], like=call),
        "temporary: expected a layout": lambda: graph.temporary((3,)),
        "capture: expected passes to be": lambda: capture(lambda x: x, passes=3),
    }
    for message, action in refused.items():
        with raises((TypeError, ValueError, NotImplementedError), message):
            action()


def test_passes_run_in_one_thread():
    """A second thread gets an error while passes run, as it does while launches run."""
    seen = []

    def call():
        with pytest.raises(CaptureError) as found:
            captured(ft.ones(2))
        seen.append(found)

    def calls_again(graph):
        thread = Thread(target=call)
        thread.start()
        thread.join()

    captured = capture(lambda x: x * 2 + 1, passes=(calls_again,))
    for _ in range(4):
        assert captured(ft.ones(2)).tolist() == [3.0, 3.0]
    assert len(seen) == 1 and "another thread" in str(seen[0].value)
