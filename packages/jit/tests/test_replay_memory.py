"""Replays on read-only or overlapping memory: they raise the same errors as the function."""

import random

import numpy as np
import pytest

import facula_tensor as ft
from facula_checkpoint import load_file, save_file
from facula_jit import capture
from facula_jit._recording.records import made_tensor

pytestmark = pytest.mark.filterwarnings("ignore:capture:UserWarning")  # from calls that are not captured

SIZE = 24


def add(x):
    return x.add_(1)


def twice(x):
    x.mul_(2)
    return x.add_(1).sum()


def in_a_view(x):
    x[1:].zero_()
    return x * 2


def into_out(x):
    return ft.exp(ft.ones(4), out=x)


def after_others(x):
    total = (x * 3).sum()
    x.copy_(ft.zeros(4))
    return total


WRITERS = [add, twice, in_a_view, into_out, after_others]


def read_only_array(tmp_path):
    array = np.arange(4, dtype=np.float32)
    array.flags.writeable = False
    return ft.from_numpy(array), lambda: array


def memory_map(tmp_path):
    array = np.arange(4, dtype=np.float32)
    array.tofile(tmp_path / "numbers.bin")
    mapped = np.memmap(tmp_path / "numbers.bin", dtype=np.float32, mode="r")
    return ft.from_numpy(mapped), lambda: np.fromfile(tmp_path / "numbers.bin", dtype=np.float32)


def mapped_file(tmp_path):
    path = tmp_path / "numbers.safetensors"
    save_file({"x": np.arange(4, dtype=np.float32)}, path)
    storage, layout, offset = load_file(path)["x"]
    return made_tensor(layout, storage, offset, None), lambda: np.frombuffer(path.read_bytes()[-16:], np.float32)


def error_of(function, *args):
    """Return the error of a call as text."""
    with pytest.raises(Exception) as caught:
        function(*args)
    return f"{type(caught.value).__name__}: {caught.value}"


@pytest.mark.parametrize("on_break", ["eager", "error", "split"])
@pytest.mark.parametrize("make", [read_only_array, memory_map, mapped_file])
@pytest.mark.parametrize("function", WRITERS)
def test_read_only_arguments_raise_what_the_function_raises(function, make, on_break, tmp_path):
    expected = error_of(function, make(tmp_path)[0])
    assert "read-only" in expected
    captured = capture(function, on_break=on_break)
    for _ in range(4):  # before the capture, after it, and after passes
        x, contents = make(tmp_path)
        assert error_of(captured, x) == expected
        assert contents().tolist() == [0, 1, 2, 3]
        one, other = ft.arange(4.0), ft.arange(4.0)
        assert (captured(one).tolist(), one.tolist()) == (function(other).tolist(), other.tolist())
        assert one._version == other._version
    assert captured.report().count("replayed") == 1  # the failed calls did not affect the capture


def test_work_before_an_error_runs_once():
    def function(x, y):
        x.add_(1)
        y.add_(x)

    captured = capture(function)
    x, y = ft.zeros(4), ft.zeros(4)
    for _ in range(3):
        captured(x, y)
    read_only, contents = read_only_array(None)
    expected = error_of(function, ft.zeros(4), read_only)
    assert error_of(captured, x, read_only) == expected
    assert (x.tolist(), contents().tolist()) == ([4] * 4, [0, 1, 2, 3])


def test_read_only_arguments_that_are_only_read():
    captured = capture(lambda x, y: y.add_(x), on_break="error")
    x, y = read_only_array(None)[0], ft.zeros(4)
    for _ in range(5):
        captured(x, y)
    assert y.tolist() == [0, 5, 10, 15]
    assert captured.report().count("replayed 4 times") == 1


def test_memory_of_the_program_that_became_read_only():
    weight = ft.zeros(4)

    def function(x):
        weight.add_(x)

    captured = capture(function)
    for _ in range(3):
        captured(ft.ones(4))
    weight.data, contents = read_only_array(None)
    expected = error_of(function, ft.ones(4))
    for _ in range(2):
        assert error_of(captured, ft.ones(4)) == expected
    assert contents().tolist() == [0, 1, 2, 3]


# ------------------------------------------------------------------------------------------------------------- overlap
def views(memory, description):
    """Return tensors over parts of one array."""
    return [
        ft.from_numpy(np.lib.stride_tricks.as_strided(memory[start:], (4,), (4 * step,))) for start, step in description
    ]


def outcome(function, description):
    """Return the results or error of a call on parts of one memory, and the memory afterwards."""
    memory = np.arange(SIZE, dtype=np.float32)
    try:
        result = function(*views(memory, description))
        shown = None if result is None else result.tolist()
    except Exception as error:
        shown = f"{type(error).__name__}: {error}"
    return shown, memory.tolist()


def added(x, y):
    return x.add_(y)


def shifted(x, y):
    x.copy_(y)
    return (x * y).sum()


def both(x, y):
    x.mul_(2)
    y.add_(1)
    return x + y


def read(x, y):
    return (x - 1) * y + x


def later(x, y):
    total = x.exp() + y
    y.zero_()
    return total


APART = [(0, 1), (8, 1)]
OVERLAPS = {
    "partly": [(0, 1), (2, 1)],
    "partly before": [(2, 1), (0, 1)],
    "the same": [(4, 1), (4, 1)],
    "columns": [(0, 2), (1, 2)],
    "side by side": [(0, 1), (4, 1)],
    "every other": [(0, 2), (2, 1)],
    "in itself": [(0, 0), (8, 1)],
    "in itself, the second": [(0, 1), (8, 0)],
}


@pytest.mark.parametrize("on_break", ["eager", "split"])
@pytest.mark.parametrize("name", OVERLAPS)
@pytest.mark.parametrize("function", [added, shifted, both, read, later])
def test_arguments_that_overlap(function, name, on_break):
    captured = capture(function, on_break=on_break)
    for description in (APART, APART, APART, OVERLAPS[name], APART, OVERLAPS[name], OVERLAPS[name], APART):
        assert outcome(captured, description) == outcome(function, description)


@pytest.mark.parametrize("where", [(0, 1), (2, 1), (3, 1), (4, 1), (0, 2)])
@pytest.mark.parametrize("kind", ["written", "read", "read in the end"])
def test_an_argument_in_memory_of_the_program(kind, where):
    """An argument is changed in memory that the function reads, or read in memory that it changes."""

    def program(memory):
        (own,) = views(memory, [(2, 1)])
        return {
            "written": lambda x: own.add_(x),
            "read": lambda x: x.mul_(own),
            "read in the end": lambda x: (x.add_(1), own * 2)[1],
        }[kind]

    memories = [np.arange(SIZE, dtype=np.float32) for _ in range(2)]
    function, inner = [program(placement) for placement in memories]
    captured = capture(inner)
    for place in ((10, 1), (10, 1), (10, 1), where, (10, 1), where, (14, 1)):
        found = []
        for call, memory in ((function, memories[0]), (captured, memories[1])):
            try:
                found.append(call(*views(memory, [place])).tolist())
            except Exception as error:
                found.append(f"{type(error).__name__}: {error}")
        assert found[0] == found[1]
        assert memories[0].tolist() == memories[1].tolist()


BODIES = [
    lambda x, y, own: x.add_(y).mul_(own),
    lambda x, y, own: (y.copy_(own), x * 2)[1],
    lambda x, y, own: own.sub_(x) + y,
    lambda x, y, own: ft.maximum(x, y, out=x).sum() + own,
    lambda x, y, own: (x[1:].copy_(y[1:]), x.neg() + own)[1],
    lambda x, y, own: (x * y + own).exp(),
]


def as_arrays(memory, places, locked):
    """Return tensors over parts of an array, with separate storages."""
    parts = [np.lib.stride_tricks.as_strided(memory[start:], (4,), (4 * step,)) for start, step in places]
    for part, is_locked in zip(parts, locked, strict=True):
        if is_locked:
            part.flags.writeable = False
    return [ft.from_numpy(part) for part in parts]


def as_views(memory, places, locked):
    """Return views of one tensor over an array."""
    if any(locked):
        memory = memory.view()
        memory.flags.writeable = False
    whole = ft.from_numpy(memory)
    return [whole.as_strided((4,), (step,), start) for start, step in places]


@pytest.mark.parametrize("make", [as_arrays, as_views])
def test_random_calls_on_one_memory(make):
    """Two arguments and a tensor of the program, sometimes in memory that overlaps or is read-only."""
    numbers, replayed = random.Random(29), 0
    for _ in range(60):
        body, memories = numbers.choice(BODIES), [np.arange(100, dtype=np.float32) for _ in range(2)]
        own = [views(memory, [(50, 1)])[0] for memory in memories]
        eager, inner = [lambda x, y, own=tensor: body(x, y, own) for tensor in own]
        captured = capture(inner)
        for number in range(12):
            places = [(numbers.choice((0, 60)), 1), (numbers.choice((20, 80)), 1)]
            locked = [numbers.random() < 0.05 for _ in range(2)]
            if number > 2 and numbers.random() < 0.3:
                places = [(numbers.randrange(44, 56), numbers.choice((1, 1, 1, 2, 0))) for _ in range(2)]
            found = []
            for call, memory in ((eager, memories[0]), (captured, memories[1])):
                try:
                    found.append(repr(call(*make(memory, places, locked)).tolist()))
                except Exception as error:
                    found.append(f"{type(error).__name__}: {error}")
            assert found[0] == found[1]
            assert memories[0].tobytes() == memories[1].tobytes()
            for memory in memories:
                memory[:] = np.arange(100)
        replayed += sum([replay.served for kind in captured._entries.values() for replay in kind.replays])
    assert replayed > 100
