"""Graphs in files: a loaded graph equals the captured function, in a process without its source."""

import gc
import json
import os
import subprocess
import sys
import weakref
import zipfile

import numpy as np
import pytest
from jit_toys import called, same, saved, step_of

from facula_errors import ArgumentError, OperationError
from facula_errors.testing import raises
from facula_jit import CaptureError, Loaded, SaveError, capture, load, save
from facula_tensor import (
    Generator,
    Parameter,
    arange,
    equal,
    from_numpy,
    get_rng_state,
    manual_seed,
    no_grad,
    ones,
    rand,
    randint,
    randn,
    set_rng_state,
    tensor,
    zeros,
)
from facula_tensor.functional import cross_entropy, dropout, embedding, linear

HERE = os.path.dirname(__file__)
A, B = randn(6, 5), randn(5)


def test_another_process_trains_on(tmp_path):
    """Training continues bit for bit, and changes the file's own tensors."""
    step, parameters = step_of()
    captured = capture(step)
    x, y = randn(4, 6), randn(4, 6)
    for _ in range(3):
        captured(x, y)
    save(captured, tmp_path / "step.facula")
    np.savez(tmp_path / "data.npz", x=x.numpy(), y=y.numpy())
    program = """
import sys
import numpy as np
from facula_jit import load
from facula_tensor import tensor
step, data = load("step.facula"), np.load("data.npz")
for _ in range(5):
    loss = step(tensor(data["x"]), tensor(data["y"]))
np.savez("after.npz", loss=loss.numpy(), **{name: one.numpy() for name, one in step.state_dict().items()})
assert not any(name.startswith("jit_toys") for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, timeout=600)
    for _ in range(5):
        loss = captured(x, y)
    after = np.load(tmp_path / "after.npz")
    assert sorted(after) == ["b", "loss", "w"] and after["loss"] == loss.numpy()
    for name, parameter in zip("wb", parameters, strict=True):
        assert after[name].tobytes() == parameter.detach().numpy().tobytes()


def test_saving_changes_nothing(tmp_path):
    step, parameters = step_of()
    captured, x, y = capture(step), randn(4, 6), randn(4, 6)
    captured(x, y)
    before = [parameter.clone() for parameter in (*parameters, *[leaf.grad for leaf in parameters])]
    save(captured, tmp_path / "step.facula")
    assert same(before, [*parameters, *[parameter.grad for parameter in parameters]])
    first = (tmp_path / "step.facula").read_bytes()
    save(captured, tmp_path / "step.facula")
    assert (tmp_path / "step.facula").read_bytes() == first and os.listdir(tmp_path) == ["step.facula"]


# ----------------------------------------------------------------------------------------------------------- gradients
def test_a_loaded_model_can_be_tuned(tmp_path):
    weight, bias = Parameter(randn(3, 6)), Parameter(randn(3))
    captured, x = called(lambda x: linear(x, weight, bias).tanh(), randn(4, 6)), randn(4, 6)
    again = saved(captured, tmp_path)
    (captured(x) ** 2).sum().backward()
    (again(x) ** 2).sum().backward()
    names = dict(again.named_parameters())
    assert list(names) == ["weight", "bias"] and all(isinstance(parameter, Parameter) for parameter in names.values())
    assert same(names["weight"].grad, weight.grad) and same(names["bias"].grad, bias.grad)


def test_gradients_of_arguments_and_of_some_results(tmp_path):
    def function(x):
        return (x @ A).tanh().sum(), (x**2).mean(), x.detach() * 2

    x, y = randn(4, 6).requires_grad_(), randn(4, 6).requires_grad_()
    captured = called(function, x)
    again = saved(captured, tmp_path)
    for place in (0, 1, None):
        found = []
        for call in (captured, again):
            y.grad = None
            results = call(y)
            (results[0] + results[1] if place is None else results[place]).backward()
            found.append(y.grad.clone())
        assert same(*found)
    with raises(
        ArgumentError,
        "...function",
        "expected (float32 (4, 6))",
        value="(float32 (4, 5))",
    ):
        again(randn(4, 5))


def test_an_argument_requires_a_gradient_that_was_not_recorded(tmp_path):
    weight = Parameter(randn(6))
    again = saved(called(lambda x: (x * weight).sum(), randn(4, 6)), tmp_path)
    with raises(
        OperationError,
        "...<lambda>",
        "argument 0 requires a gradient",
    ):
        again(randn(4, 6).requires_grad_())
    with no_grad():
        quiet = saved(called(lambda x: (x * weight).sum(), randn(4, 6)), tmp_path)
    assert not quiet(randn(4, 6).requires_grad_()).requires_grad


# ------------------------------------------------------------------------------------------------------- properties
def test_names_and_state(tmp_path):
    step, (w, b) = step_of()
    captured, x, y = capture(step), randn(4, 6), randn(4, 6)
    captured(x, y)
    again = saved(captured, tmp_path)
    assert list(again.state_dict()) == ["w", "b"] and [leaf.shape for leaf in again.parameters()] == [w.shape, b.shape]
    assert "linear(x0, w, b)" in str(again.graph()) and "w.grad = linear_weight_grad(" in str(again.graph())
    assert again.graph().calls[0].line.startswith("jit_toys.py:")
    again.load_state_dict({"w": zeros(5, 6), "b": ones(5)})
    assert same(dict(again.named_parameters())["b"].detach(), ones(5))
    with raises(KeyError, "load_state_dict", "missing are b", "unknown are c"):
        again.load_state_dict({"w": zeros(5, 6), "c": ones(5)})
    with raises(ValueError, "load_state_dict", "expected w of shape (5, 6)"):
        again.load_state_dict({"w": zeros(5, 7)}, strict=False)
    assert isinstance(again, Loaded) and "float32 (4, 6)" in repr(again)


def test_a_loaded_graph_is_saved_with_its_present_state(tmp_path):
    step, _ = step_of()
    captured, x, y = capture(step), randn(4, 6), randn(4, 6)
    captured(x, y)
    first = saved(captured, tmp_path)
    first(x, y)
    first.save(tmp_path / "second.facula")
    second = load(tmp_path / "second.facula")
    assert same(first.state_dict(), second.state_dict()) and same(first(x, y), second(x, y))


def test_random_numbers_come_from_the_default_generator(tmp_path):
    captured = called(lambda x: dropout(x, 0.5) + rand(4, 6), ones(4, 6))
    again = saved(captured, tmp_path)
    manual_seed(3)
    state = get_rng_state()
    wanted, after = captured(ones(4, 6)), get_rng_state()
    set_rng_state(state)
    assert same(again(ones(4, 6)), wanted) and equal(get_rng_state(), after)
    own = Generator().manual_seed(5)
    captured = called(lambda x: x + rand(3, generator=own), zeros(3))
    again = saved(captured, tmp_path)
    assert same([again(zeros(3)) for _ in range(2)], [captured(zeros(3)) for _ in range(2)])


def test_arguments_of_any_nesting(tmp_path):
    captured = capture(lambda pair, scale, more=None: (pair[0] + pair[1]["b"]) * scale + more)
    given = [ones(2), {"b": ones(2)}]
    captured(given, 3, more=ones(2))
    again = saved(captured, tmp_path)
    assert same(again(given, 3, more=ones(2)), captured(given, 3, more=ones(2)))
    for args in ((given, 4), (given, 3, ones(2)), ((ones(2),), 3)):
        with raises(ArgumentError, "...<lambda>"):
            again(*args, **({} if len(args) == 3 else {"more": ones(2)}))


def test_signatures_share_their_tensors(tmp_path):
    total = zeros(())

    def function(x):
        total.add_(x.sum())
        return total.clone()

    captured = capture(function)
    for x in (ones(2), ones(3), ones(2, 2)):
        captured(x)
    again = saved(captured, tmp_path)
    assert [again(x).item() for x in (ones(3), ones(2), ones(2, 2))] == [12, 14, 18]
    one = saved(captured.graph(0), tmp_path)
    assert one(ones(2)).item() == 11 and len(one.state_dict()) == 1
    with pytest.raises(ArgumentError):
        one(ones(3))


def test_strided_arguments_are_copied_and_written_ones_must_be_writable(tmp_path):
    again = saved(called(lambda x: x * 2, ones(3, 2)), tmp_path)
    x = randn(2, 3)
    assert same(again(x.t()), x.t() * 2)
    again = saved(called(lambda x: x.add_(1), zeros(3)), tmp_path)
    x = zeros(3)
    assert again(x) is x and x.tolist() == [1, 1, 1] and x._version == 1
    with raises(
        OperationError,
        "...<lambda>",
        "argument 0 is changed in place",
        "expected strides (1,)",
        value=(2,),
    ):
        again(zeros(6)[::2])
    frozen = np.zeros(3, "f4")
    frozen.flags.writeable = False
    with raises(
        OperationError,
        "...<lambda>",
        "read-only",
    ):
        again(from_numpy(frozen))


def test_errors_name_required_grads(tmp_path):
    weight = ones(3).requires_grad_()

    def accumulate(x):
        (weight * x).sum().backward()

    captured = capture(accumulate)
    for _ in range(3):
        weight.grad = None
        captured(ones(3))
    weight.grad = None
    again = saved(captured, tmp_path)
    again(ones(3))
    (own,) = again.parameters()
    assert own.grad.tolist() == [1, 1, 1]
    with raises(CaptureError, "capture", "grad of a tensor"):
        again(ones(3))


# ------------------------------------------------------------------------------------------------------------- batches
def test_one_graph_for_all_sizes(tmp_path):
    weight, classes = Parameter(randn(3, 6)), randint(0, 3, (40,))

    def function(x, y):
        scores = linear(x, weight)
        return cross_entropy(scores, y), (scores**2).mean(), scores.std(0), scores.argmax(1)

    captured = capture(function)
    for size in (4, 7, 9):
        captured(randn(size, 6), classes[:size])
    again = saved(captured, tmp_path, batch=True)
    assert "float32 (n, 6), int64 (n,)" in repr(again)
    for size in (4, 2, 33, 40):
        x, y = randn(size, 6), classes[:size]
        results, wanted = again(x, y), captured.function(x, y)
        assert same(results, wanted)
        weight.grad = dict(again.named_parameters())["weight"].grad = None
        (results[0] + results[1]).backward(), (wanted[0] + wanted[1]).backward()
        assert np.allclose(dict(again.named_parameters())["weight"].grad.numpy(), weight.grad.numpy(), atol=1e-6)
    with raises(ArgumentError, "...function", "expected (float32 (n, 6), int64 (n,))"):
        again(randn(4, 6), classes[:5])


def test_sizes_that_do_not_follow_are_refused_by_line(tmp_path):
    captured = capture(lambda x: (x * (x.shape[0] / 3)).sum())
    captured(ones(2, 3))
    with raises(SaveError, "save", "at least 3 sizes that launch the same operators", value=2):
        save(captured, tmp_path / "graph", batch=True)
    captured(ones(3, 3)), captured(ones(5, 3))
    with raises(SaveError, "save", "mul (at test_files.py", "(<lambda>)) does not follow from the size"):
        save(captured, tmp_path / "graph", batch=True)
    assert not os.listdir(tmp_path)


# ---------------------------------------------------------------------------------------------------------- refusals


def test_other_members_are_kept(tmp_path):
    path = tmp_path / "graph.facula"
    save(called(lambda x: x + 1, ones(2)), path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("run/plain.bin", b"for others")
    loaded = load(path)
    assert loaded.members == {"run/plain.bin": b"for others"}
    loaded.save(path)
    assert load(path).members == loaded.members


def test_constants_merged_by_passes(tmp_path):
    """A copy of a constant that a pass removed is the constant itself."""
    table = randn(5, 2)
    captured = called(lambda x: embedding(arange(3), table) + embedding(arange(1, 4), table) * x, ones(3, 2))
    for _ in range(4):
        captured(ones(3, 2))
    again = saved(captured, tmp_path)
    assert same(again(x := randn(3, 2)), captured(x))


def test_programs_are_members_as_long_as_their_numbers_are_right(tmp_path):
    weight = randn(3)
    again = saved(called(lambda x: x * weight, ones(3)), tmp_path, run=True)
    assert list(again.members) == ["run/graph0.bin"] and again.members["run/graph0.bin"]
    again.save(tmp_path / "again.facula")
    assert load(tmp_path / "again.facula").members == again.members


def test_loaded_graphs_inside_of_captures_break_them(tmp_path):
    again = saved(called(lambda x: x + 1, ones(2)), tmp_path)
    outside = capture(lambda x: again(x) * 2, on_break="error")
    with raises(CaptureError, "capture", "the loaded graph", "runs here"):
        outside(ones(2))


def test_embeddings_check_their_indices(tmp_path):
    table = randn(5, 2)
    again = saved(called(lambda i: embedding(i, table), tensor([1, 2])), tmp_path)
    assert same(again(tensor([4, 0])), table[tensor([4, 0])])
    with raises(IndexError, "index_select", "= 5 is out of range"):
        again(tensor([0, 5]))


@pytest.mark.parametrize("name", sorted({name.rpartition(".")[0] for name in os.listdir(os.path.join(HERE, "files"))}))
def test_files_of_releases(name):
    """Each release adds a file here that all later releases load: a training step, and its losses."""
    place = os.path.join(HERE, "files", name)
    step = load(place + ".facula")
    with open(place + ".json") as file:
        wanted = json.load(file)
    x, classes = tensor([[1.0, 2.0, 3.0], [-1.0, 0.5, 0.25]]), tensor([0, 1])
    manual_seed(0)
    assert [step(x, classes).item() for _ in wanted] == pytest.approx(wanted, rel=1e-5)


def test_calls_with_changing_arguments(tmp_path):
    again = saved(called(lambda x: x * 2, ones(3)), tmp_path)
    again(ones(3))
    for args in ((), (3,), ("x",), (None,), (ones(3), ones(3)), ([ones(3)],), (ones(3).double(),), (object(),)):
        again(ones(3))
        with raises(ArgumentError, "...<lambda>", "expected (float32 (3,))", value="("):
            again(*args)
    with raises(TypeError, "load", "expected a path or a file opened with mode 'rb'", value="int"):
        load(3)


def test_errors_show_how_a_call_differs(tmp_path):
    """Names, lists and dicts, and the remedy."""
    again = saved(called(lambda x, options: x * options["by"][0], ones(2), {"by": [0.5]}), tmp_path)
    known = "expected (float32 (2,), {'by': [0.5]})"
    for args, kwargs, got in (
        ((ones(2),), {"options": {"by": [0.5]}}, "(float32 (2,), options={'by': [0.5]})"),
        ((ones(2), {"by": (0.5,)}), {}, "(float32 (2,), {'by': (0.5,)})"),
    ):
        with raises(ValueError, "...<lambda>", known, "call the function with this one before you save it", value=got):
            again(*args, **kwargs)


def test_loaded_graphs_are_freed(tmp_path):
    """Without the garbage collector: a loaded graph and its memory are freed when it is deleted."""
    step, _ = step_of()
    captured, x, y = capture(step), randn(4, 6), randn(4, 6)
    captured(x, y)
    save(captured, tmp_path / "step.facula")
    gc.disable()
    try:
        loaded = load(tmp_path / "step.facula")
        loaded(x, y)
        links = [weakref.ref(owner) for owner in (loaded, *loaded.state_dict().values(), *loaded.parameters())]
        links += [weakref.ref(parameter._storage) for parameter in loaded.parameters()]
        del loaded
        assert [link() for link in links] == [None] * len(links)
    finally:
        gc.enable()


def test_functions_that_ran_with_other_shapes_are_saved(tmp_path):
    weight, bias = randn(10, 128), randn(10)
    with no_grad():
        for rows in (50, 1, 397):
            linear(randn(rows, 128), weight, bias)
        captured = capture(lambda x: linear(x, weight, bias))
        x = randn(1, 128)
        for _ in range(3):
            captured(x)
        save(captured, tmp_path / "linear.facula")
        assert same(load(tmp_path / "linear.facula")(x), captured(x))
