"""Functions that are split where they cannot be captured, compared with the original."""

import pickle
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from itertools import count
from random import Random, randint, seed
from re import search
from time import monotonic_ns

import pytest
from jit_toys import same

from facula_autograd import grad
from facula_jit import capture
from facula_tensor import full, no_grad, ones, randn, tensor, zeros

HISTORY = []
WEIGHT = randn(3).requires_grad_()
COUNT = 0
RANDOM, QUEUE, SEEN, NUMBERS = Random(), deque(maxlen=5), set(), count()


def reads(x):
    y = (x * 2).sin() + 1
    if y.sum() > 4:
        y = y * 3 - 1
    z = y.exp() * x
    return z.sum() + float(y.sum().item())


def loops(x, n=3):
    found = []
    for number in range(n):
        y = x * number + 1
        z = y * y
        if z.max().item() > 30:
            continue
        if z.max().item() > 20:
            break
        found.append(z.cos() - y)
    else:
        return found
    found.append(x * 2 - 1)
    return found


def returns(x):
    for number in (0.5, 1.5, 2.5):
        y = x * number + 1
        y = y.sin() - 1
        if y.sum().item() > -3:
            return y * 10 - 1
    return y - 10


def sets_and_deletes(x):
    y = x * 2 + 1
    if x.sum().item() > 4:
        late = y * 5 + 1
    del y
    try:
        return late - x * 2
    except UnboundLocalError:
        return x * 3 - 1


def declares(x):
    global COUNT
    COUNT += 1
    y = x * COUNT + 1
    HISTORY.append(y.sum().item())
    COUNT += int(y.sum().item()) % 3
    return y * COUNT - 1


def keeps(x):
    y = (x * 2).cos() + 1
    HISTORY.append(y)
    z = y.sin() * 3
    return z + y


def defines(x):
    scale = x.sum().item()

    def scaled(one):
        return one * scale + one

    y = scaled(x) + 1
    print(y.sum().item(), end="")
    return scaled(y) * 2


def comprehends(x):
    parts = [x * k + 1 for k in range(3)]
    sums = [part.sum().item() for part in parts]
    return sum([part * total for part, total in zip(parts, sums, strict=True)])


def manages(x):
    with no_grad():
        y = x * 2 + 1
        if y.sum().item() > 5:
            y = y * 2 + 1
        z = y * y
    return z, y * x


def helper(x):
    y = x * 5 + 1
    if y.mean().item() > 10:
        y = y / 2 - 1
    return y * y


def calls(x):
    y = x + 1
    z = helper(y * 2)
    return z * 2 + y


def numbers(x, count=0):
    for number in range(40):
        count += number
        x = x.sin() + 1
        x = x * 1.01 - 0.5
        count += x.sum().item() > 0
    return x * count


class Toy:
    """Has state, a method that calls its parent's, and private names."""

    __scale = 2

    def forward(self, x):
        return x * 3 + 1


class Child(Toy):
    """Calls its parent in the middle."""

    __scale = 5

    def run(self, x):
        y = super().forward(x) * self.__scale
        self.latest = y.sum().item()
        return super().forward(y) + self.latest


def iterates(x):
    parts, total = iter([x, x * 2, x * 3]), 0.0
    for _ in range(3):
        y = next(parts) + 1
        total += (y * y).sum().item()
    return total


def names_again(x, k=5):
    import math

    total = x.sum().item()
    parts = [x * k for k in range(3)]
    y = sum(parts) + k * math.sqrt(2)
    print(y.sum().item(), end="")
    return y * k + total


def binds_late(x):
    scale = 2

    def scaled(one):
        return one * scale

    y = scaled(x)
    total = y.sum().item()
    scale = 5
    later = (operand * scale for operand in (x, y))
    scale = 7
    z = scaled(x) + sum(later) + total
    return scaled(z) if total > 3 else z - 1


def shares(x):
    parts = [x * 2]
    again = parts
    table = {"parts": parts}
    total = x.sum().item()
    again.append(x * total)
    count = len(parts) + int(parts[1].sum().item())
    table["parts"].append(x * count)
    return len(parts), again is parts, table["parts"] is parts, sum(again)


@dataclass
class Record:
    """Sets a field itself."""

    first: object
    second: object = field(init=False, default=None)
    count: int = 0

    def __post_init__(self):
        self.count += 1


class Named(list):
    """A list with a name."""

    name = ""


def contains(x):
    record, table, found, counts = Record(x * 2), defaultdict(list), Named([x]), Counter("aab")
    record.second, found.name = x * 3, "found"
    table["a"].append(x * 2)
    total = x.sum().item()
    table["b"].append(record.second * total)
    counts.update("z")
    z = record.first * counts["z"] + found[0]
    print(z.sum().item(), end="")
    return z * record.count, dict(table), found.name, counts["a"]


def reads_clocks(x):
    start = monotonic_ns()
    y = x * 2
    total = y.sum().item()
    took = monotonic_ns() - start
    return y + total, took < 10**12


def moves_on(x):
    y = x + RANDOM.random() + randint(1, 9)
    QUEUE.append(y.sum().item())
    z = y * len(QUEUE) + sum(QUEUE) + next(NUMBERS)
    SEEN.add(len(SEEN))
    z = z + len(SEEN)
    return z * 2 + x.sum().item()


def twice(x):
    x = x.requires_grad_()
    y = (x * 2).exp()
    total = y.sum().item()
    (slope,) = grad((y * y).sum(), x, create_graph=True)
    print(slope.sum().item(), end="")
    (curve,) = grad((slope * slope).sum(), x)
    return curve * total


class Counted(Toy):
    """Counts its calls in the class."""

    runs = 0

    def run(self, x):
        total = x.sum().item()
        Counted.runs += 1
        return x * Counted.runs + total


counts = Counted().run

PROGRAMS = [
    reads, loops, returns, sets_and_deletes, declares, keeps, defines, comprehends, manages, calls, numbers,
    Child().run, iterates, names_again, binds_late, shares, contains, reads_clocks, moves_on, twice, counts,
]  # fmt: skip
AS_WRITTEN = (counts, iterates, defines, declares, binds_late, shares, contains, moves_on, twice, names_again)


@pytest.mark.parametrize("program", PROGRAMS)
def test_split_programs_equal_the_original(program, capsys):
    found = []
    for function in (program, capture(program, on_break="split")):
        globals()["COUNT"] = 0
        for table in (HISTORY, QUEUE, SEEN):
            table.clear()
        Counted.runs = 0
        globals()["NUMBERS"] = count()
        seed(0)
        RANDOM.seed(0)
        results = [function(full((3,), number % 5 / 2)) for number in range(25)]
        found.append((results, list(HISTORY), COUNT, capsys.readouterr().out))
    (expected, history, *rest), (got, own_history, *own_rest) = found
    assert same(got, expected) and rest == own_rest and len(history) == len(own_history)
    assert all([same(a, b) for a, b in zip(history, own_history, strict=True)])
    report = function.report()
    assert "runs split" in report and (program in AS_WRITTEN or search(r"replayed [12]\d times", report)), report


def step(x, y):
    out = (x * WEIGHT).exp()
    loss = ((out - y) ** 2).sum()
    HISTORY.append(loss.item())
    if HISTORY[-1] > 2:
        loss = loss / 2
    WEIGHT.grad = None
    loss.backward()
    with no_grad():
        WEIGHT.sub_(WEIGHT.grad * 0.1)
    return loss.detach()


def test_gradients_flow_from_piece_to_piece():
    found = []
    captured = capture(step, on_break="split")
    for function in (step, captured):
        HISTORY.clear()
        with no_grad():
            WEIGHT.copy_(tensor([0.5, -1.0, 2.0]))
        losses = [function(ones(3), full((3,), number / 20)).item() for number in range(20)]
        found.append((losses, list(HISTORY), WEIGHT.tolist()))
    assert found[0] == found[1]
    assert "replayed 1" in captured.report() and "ran eagerly" not in captured.report()


def test_a_hook_on_a_tensor_of_another_piece():
    def hooks(x):
        y = x * 2
        total = y.sum().item()
        y.register_hook(lambda gradient: gradient * total)
        return y * y

    captured = capture(hooks, on_break="split")
    for number in range(6):
        gradients = []
        for function in (hooks, captured):
            x = full((3,), number / 3).requires_grad_()
            function(x).sum().backward()
            gradients.append(x.grad)
        assert same(*gradients)


@pytest.mark.filterwarnings("ignore:capture")
def test_backward_through_a_graph_with_hooks():
    captured, shown = capture(lambda y: y.sum().backward()), []
    for number in range(3):
        x = full((2,), float(number)).requires_grad_()
        y = x * 2
        y.register_hook(lambda gradient: shown.append(gradient.tolist()))
        captured(y)
        assert x.grad.tolist() == [2.0, 2.0] and len(shown) == number + 1


def test_functions_that_read_all_their_variables_are_not_split():
    def asks(x):
        y = x * x.sum().item()
        return y * len(locals())

    captured = capture(asks, on_break="split")
    with pytest.warns(UserWarning, match="it asks for all its variables"):
        assert same([captured(ones(2)) for _ in range(3)], [full((2,), 4.0)] * 3)


def test_a_result_in_pieces_is_differentiated_outside():
    captured = capture(reads, on_break="split")
    for number in range(6):
        gradients = []
        for function in (reads, captured):
            x = full((3,), number / 3).requires_grad_()
            function(x).backward()
            gradients.append(x.grad)
        assert same(*gradients)


def test_other_signatures_are_captured_whole():
    def function(x, verbose):
        y = x * 2 + 1
        if verbose:
            HISTORY.append(y.sum().item())
        return y * y

    captured = capture(function, on_break="split")
    for number in range(12):
        x = full((2,), float(number))
        assert same(captured(x, number % 2 == 1), function(x, False))
    report = captured.report()
    assert (
        "(float32 (2,), False): 1 launch (before passes 3)" in report and "(float32 (2,), True): runs split" in report
    )


def test_a_mode_is_kept_in_a_pickle():
    again = pickle.loads(pickle.dumps(capture(helper, on_break="split")))
    assert again.on_break == "split" and same(again(zeros(2)), helper(zeros(2)))


def test_graphs_of_pieces():
    captured = capture(reads, on_break="split")
    for _ in range(3):
        captured(zeros(3))
    assert "sin" in str(captured.graph(0)) and "reads, line" in repr(captured.graph(0))
