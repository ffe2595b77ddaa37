"""Graphs for all batch sizes: permitted computations with the size, and refused decisions."""

import copy
import itertools
import math
import operator
import pickle
from functools import partial, reduce
from types import SimpleNamespace

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_jit import SaveError, capture, load, save
from facula_jit._recording.marked_sizes import Decisions, MarkedFloat, MarkedInt, marked
from facula_storage import Layout

SIZES = (16, 24, 32)
COMPUTED = {
    "view": lambda x: x.view(x.shape[0], -1) * 2,
    "size": lambda x: x.view(x.size(0), x.size(-1)) * 2,
    "product": lambda x: x.reshape(x.shape[0] * 5) * 2,
    "numel": lambda x: x.sum() / x.numel(),
    "number": lambda x: x.shape[0] * x - -x.shape[0] + x * (1.0 / x.shape[0]),
    "slice": lambda x: x[: x.shape[0], : x.shape[1] // 2] * 2,
    "slices of another size": lambda x: x[:, :100] * 2 + x.split(100, 1)[0] + x[:, ::7],
    "narrow": lambda x: x.narrow(0, 0, x.shape[0]) * 2,
    "concatenation": lambda x: x.reshape(x.shape[:-1] + (5,)) + 1,
    "another size": lambda x: x / math.sqrt(x.shape[1]) if x.shape[1] > 3 else x,
    "quotient": lambda x: x.reshape(x.numel() // 5, 5) * (x.numel() // x.shape[0] + x.numel() % x.shape[0]),
    "quotient of another size": lambda x: x * (x.shape[1] // 2) + x.shape[1] ** -0.5 + abs(x.shape[1] - 9),
    "product of sizes": lambda x: x.reshape(x.shape[0] * x.shape[1]) * 2,
    "loop over another size": lambda x: sum([x[:, at] for at in range(x.shape[1])]),
    "entry by another size": lambda x: x * ENTRIES[x.shape[1]] + math.log(x.shape[1]),
    "product of the shape": lambda x: x.reshape(math.prod(x.shape)) * 2,
    "reduced product": lambda x: x.reshape(reduce(operator.mul, x.shape)) * 2,
    "mapped sizes": lambda x: x.reshape([*map(operator.neg, map(operator.neg, x.shape))]) * 2,
    "counted sizes": lambda x: x.reshape([size for _, size in enumerate(itertools.chain(x.shape))]) * 2,
    "mapped another size": lambda x: x * sum(map(math.sqrt, [x.shape[1]])) + max(map(float, "12")),
    "stored size": lambda x: x.reshape(next(sizes.insert(0, x.shape[0]) or sizes for sizes in [[x.shape[1]]])) * 2,
    "sorted by length": lambda x: x * len(sorted(["a", "bc"], key=len)) + len(sorted(("b" * 2).split(), key=str.lower)),
    "roll": lambda x: x.roll(1, 0) * x.roll((-1, 2), (0, 1)) + x.roll(-1),
    "flip": lambda x: x.flip(0) * x.flip((0, 1)) + ft.rot90(x, 2) + x[-1:],
    "part": lambda x: x.reshape(x.shape[0].real, x.shape[1].conjugate()) * 2,
    "kind": lambda x: x * 2 if isinstance(x.shape[0], int) else x,
    "equal sizes": lambda x: x * 2 if x.shape[0] == (x + 1).shape[0] and x.shape == (x * 2).shape else x,
}
ENTRIES, COPY = [2] * 1000, [2] * 1000
ARRAY, TEXT, HUNDRED = np.arange(1000.0), "%d and %d", 100
TABLE = SimpleNamespace(entries=ENTRIES)


def sizes_of(x):
    return (length for length in x.shape)


DECIDED = {
    "len": lambda x: x * min(len(x), 8),
    "slice that ends with the batch": lambda x: x[:100] * 2,
    "slice beyond the batch": lambda x: x[None, 100:].sum() + x,
    "slice from before the batch": lambda x: x[..., -100:, :] * 2,
    "one row by its step": lambda x: x[::100] * 2,
    "only piece": lambda x: x.split(100)[0] * 2,
    "slice of a longer tensor": lambda x: ft.cat([x, x])[:150] * 2,
    "min": lambda x: x[: min(x.shape[0], 8)].sum(),
    "if": lambda x: x * 2 if x.size(0) > 3 else x,
    "remainder": lambda x: x * 2 if x.shape[0] % 8 == 0 else x,
    "bool": lambda x: x * 2 if x.shape[0] else x,
    "in": lambda x: x * 2 if x.shape[0] in SIZES else x,
    "dict": lambda x: x * dict.fromkeys(SIZES, 2)[x.shape[0]],
    "int": lambda x: x * int(x.shape[0] / 100 + 1),
    "numel": lambda x: x * 2 if x.numel() > 10 else x,
    "whole shape": lambda x: x * 2 if x.shape == (16, 5) else x,
    "text": lambda x: x * len(f"{x.shape[0]}"),
    "root of NumPy": lambda x: x * 2 if np.sqrt(x.shape[0]) > 1 else x,
    "array": lambda x: x * 2 if np.array(x.shape[0]) > 1 else x,
    "list repeated": lambda x: x * 2 if len([0] * x.shape[0]) > 3 else x,
    "tuple repeated": lambda x: x * 2 if len(x.shape[0] * (0,)) > 3 else x,
    "text repeated": lambda x: x * 2 if len("x" * x.shape[0]) > 3 else x,
    "bits": lambda x: x * 2 if x.shape[0].bit_length() > 2 else x,
    "bytes": lambda x: x * 2 if x.shape[0].to_bytes(2, "big")[1] > 3 else x,
    "remainder of two": lambda x: x * 2 if divmod(x.shape[0], 8)[1] == 0 else x,
    "float": lambda x: x * 2 if float(x.shape[0]) > 3 else x,
    "root": lambda x: x * 2 if math.sqrt(x.shape[0]) > 3 else x,
    "complex": lambda x: x * 2 if complex(x.shape[0]).real > 3 else x,
    "percent": lambda x: x * 2 if len("%s" % x.shape[0]) > 1 else x,  # noqa: UP031
    "sum": lambda x: x * 2 if sum([x.shape[0], 1]) > 3 else x,
    "largest": lambda x: x * 2 if max(x.shape[0], 3) > 3 else x,
    "key": lambda x: x * len({x.shape[0]: 2}),
    "range": lambda x: x * 2 if len(range(x.shape[0])) > 3 else x,
    "loop": lambda x: x * 2 if sum([1 for _ in range(1, x.size(0) // 2)]) > 3 else x,
    "logarithm": lambda x: x * 2 if math.log(x.shape[0]) > 1 else x,
    "logarithm of a float": lambda x: x * 2 if math.log2(x.shape[0] / 2) > 1 else x,
    "root of a float": lambda x: x * 2 if math.sqrt(x.shape[0] / 2) > 1 else x,
    "divisor": lambda x: x * 2 if math.gcd(x.shape[0], 8) == 8 else x,
    "divisors": lambda x: x * 2 if math.gcd(*[x.shape[0], 8]) == 8 else x,
    "index": lambda x: x * 2 if operator.index(x.numel() // 5) > 3 else x,
    "character": lambda x: x * 2 if ord(chr(x.shape[0])) > 3 else x,
    "binary digits": lambda x: x * 2 if len(bin(x.shape[0])) > 4 else x,
    "list entry": lambda x: x * ENTRIES[x.shape[0]],
    "entry of an attribute": lambda x: x * TABLE.entries[x.shape[0] - 1],
    "entries of a list": lambda x: x * 2 if len(ENTRIES[: x.shape[0]]) > 3 else x,
    "items of an iterator": lambda x: x * len(list(itertools.islice(ENTRIES, 5, x.shape[0] and 9))),
    "operator's own function": lambda x: x * 2 if int.__mod__(x.shape[0], 7) == 1 else x,
    "method of a number": lambda x: x * 2 if HUNDRED.__sub__(x.shape[0]) > 3 else x,
    "method of integers": lambda x: x * 2 if int.bit_length(x.shape[0]) > 3 else x,
    "method of floats": lambda x: x * 2 if float.is_integer(x.shape[0] / 7) else x,
    "part": lambda x: x * 2 if x.shape[0].real + x.size(0).numerator > 3 else x,
    "mapped": lambda x: x * 2 if max(map(math.sqrt, [x.shape[0]])) > 3 else x,
    "mapped by a method": lambda x: x * 2 if next(map(int.__mod__, [x.shape[0]], [7])) == 1 else x,
    "mapped by entries": lambda x: x * next(map(ENTRIES.__getitem__, [x.shape[0]])),
    "mapped sizes": lambda x: x * 2 if next(map(math.sqrt, sizes_of(x))) > 3 else x,
    "mapped by a partial function": lambda x: x * 2 if next(map(partial(math.gcd, 8), [x.shape[0]])) == 8 else x,
    "partial function": lambda x: x * 2 if partial(math.gcd, x.shape[0])(8) == 8 else x,
    "reduced": lambda x: x * 2 if reduce(math.gcd, [x.shape[0], 8]) == 8 else x,
    "sorted": lambda x: x * sorted([x.shape[0], 17], key=math.cos).index(17),
    "sorted in place": lambda x: x * next(sizes.sort(key=math.cos) or sizes for sizes in [[x.shape[0], 17]]).index(17),
    "filtered": lambda x: x * 2 if [*filter(int.bit_count, [x.shape[0]])] else x,
    "star map": lambda x: x * 2 if [*itertools.starmap(math.gcd, [(x.shape[0], 8)])] == [8] else x,
    "accumulated": lambda x: x * 2 if [*itertools.accumulate([x.shape[0], 8], math.gcd)][1] == 8 else x,
    "variable": lambda x: x * 2 if (lambda read: read(x.shape[0], 7))(int.__mod__) == 1 else x,
    "padding of a text": lambda x: x * len("x".ljust(x.shape[0])),
    "decimal": lambda x: x * len("%d" % x.shape[0]),  # noqa: UP031
    "decimals": lambda x: x * len(TEXT % (5, x.shape[0])),
    "popped": lambda x: x * [*ENTRIES].pop(x.shape[0]),
    "entry that is set": lambda x: x * len([2 for COPY[x.shape[0]] in [2]]),
    "entry of an array": lambda x: x * float(ARRAY[x.shape[0]]),
    "start of a count": lambda x: x * 2 if next(iter(enumerate([2], x.shape[0])))[0] > 3 else x,
    "getter": lambda x: x * operator.itemgetter(x.shape[0])(ENTRIES),
    "array of as many": lambda x: x * 2 if len(np.zeros(x.shape[0])) > 3 else x,
}


MULTIPLES = (32, 48, 64)  # of 16
BY_CHANCE = {  # linear in these sizes, but not in others
    "-n % 16": 40, "n % 100": 200, "n // 100": 200, "-(-n // 64)": 100, "abs(n - 100)": 200, "n & 1": 7, "n >> 7": 200,
    "n | 1": 7, "n ^ n // 100": 200, "divmod(n, 16)[1]": 7, "math.floor(n / 100)": 200, "math.ceil(n / 64)": 100,
    "round(n / 1000)": 1000, "n / 100 // 1": 200, "(n * 1.0) // 100": 200, "n * (n - 32) * (n - 48) * (n - 64)": 7,
    "x.numel() // 5 % 16": 7, "max([n // 100])": 200, "n**0 * 1 + n // 100": 200, "1000 // n // 100": 7,
    "n // (n - 16)": 7,
}  # fmt: skip


def captured_at_sizes(function, sizes=SIZES):
    """Return `function`, captured with these sizes."""
    made = capture(function, on_break="error")
    for size in sizes:
        for _ in range(2):
            made(ft.rand(size, 5))
    return made


@pytest.mark.parametrize("name", COMPUTED)
def test_numbers_may_follow_from_the_size(name, tmp_path):
    function = COMPUTED[name]
    save(captured_at_sizes(function), tmp_path / "function.facula", batch=True)
    loaded = load(tmp_path / "function.facula")
    for size in (1, 3, 100):
        x = ft.rand(size, 5)
        assert ft.equal(loaded(x), function(x))


@pytest.mark.parametrize("name", DECIDED)
def test_decisions_by_the_size_are_refused_with_their_line(name, tmp_path):
    function = DECIDED[name]
    line = f"test_marked_sizes.py:{function.__code__.co_firstlineno}"
    with raises(SaveError, "save", "without decisions based on the batch size", "it makes one at", line):
        save(captured_at_sizes(function), tmp_path / "function.facula", batch=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", BY_CHANCE)
def test_numbers_that_follow_from_the_sizes_of_captures_by_chance_are_refused(text, tmp_path):
    space = {"math": math}
    exec(f"def function(x):\n    n = x.shape[0]\n    return x * 2 + ({text})", space)
    with raises(SaveError, "save", "the batch size ... at <string>:3"):
        save(captured_at_sizes(space["function"], MULTIPLES), tmp_path / "function.facula", batch=True)
    ones = [eval(text, {"n": size, "x": ft.zeros(size, 5), "math": math}) for size in (*MULTIPLES, BY_CHANCE[text])]
    (a, m), (b, n) = (ones[0], MULTIPLES[0]), (ones[1], MULTIPLES[1])
    assert ones[3] != a + (b - a) / (n - m) * (BY_CHANCE[text] - m), ones  # otherwise it need not be refused


def test_marks_stay_out_of_layouts_and_end_with_the_run():
    kept = []

    def function(x):
        kept.append(x.shape[0])
        return x.reshape(x.shape[0] * 5, 1).expand(-1, x.size(0) // 8).sum(0), x.shape[1] * 2

    made = capture(function)
    for size in SIZES:
        assert made(ft.rand(size, 5))[1] == 10
    layout = ft.rand(24 * 5, 1)._layout
    assert type(layout) is Layout and all(
        type(number) is int for number in (*layout.shape, *layout.strides, layout.numel)
    )
    assert kept == list(SIZES)
    assert type(kept[-1] + 1) is int and f"{kept[-1]}" == "32"
    assert type(copy.deepcopy(kept[-1])) is type(pickle.loads(pickle.dumps(kept[-1]))) is int


def test_arithmetic_keeps_the_sizes_that_a_number_came_from():
    decisions = Decisions()
    six, four = (marked(number, decisions, (number,)) for number in (6, 4))
    results = [
        six + four,
        2 * six,
        six - 1,
        100 // four,
        six % four,
        -six,
        six * four,
        divmod(six, four)[1],
        round(six),
    ]
    assert [type(result) for result in results] == [MarkedInt] * len(results)
    assert [int.__int__(result) for result in results] == [10, 12, 5, 25, 2, -6, 24, 2, 6]
    assert results[0].origins == (4, 6) and results[1].origins == (6,)
    assert type(six / 4) is type(six * 0.5) is type(1 / six) is MarkedFloat
    assert not decisions.found
    terms = [term for found in decisions.terms.values() for term in found]
    assert terms == [("floordiv", 100, 4), ("mod", 6, 4), ("mul", 6, 4), ("divmod", 6, 4)]
    assert six == six + 0 and not decisions.found  # two equal sizes
    assert (six > four) and (six != four) and hash(six) == 6 and (six + 1) in {7}
    assert {origins for found in decisions.found.values() for origins in found} == {(4, 6), (6,)}
