"""facula-run on files of `jit.save(run=True)`: names of inputs, modes, sizes, outputs of every step, threads."""

import subprocess

import numpy as np
import pytest
from model_files import PROGRAM, run

import facula
import facula.nn as nn


def command(*arguments):
    """Return facula-run's output, or its message if it fails."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    return done.stdout if not done.returncode else done.stderr


def saved(folder, function, *calls):
    """Save a function that was captured with these arguments."""
    captured = facula.capture(function, on_break="error")
    for arguments in calls:
        for _ in range(3):
            captured(*arguments)
    facula.jit.save(captured, folder / "model.facula", run=True)
    return folder / "model.facula"


def test_inputs_have_the_names_of_arguments(tmp_path):
    """Check inputs in containers, given by name in any order, with and without names mixed."""

    def weigh(images, scale, /, parts, *more, bias):
        return images * scale - parts["low"] * parts["list"][1] + more[0] / bias + parts["list"][0]

    tensors = [facula.arange(3).float() + 10**k for k in range(6)]
    a, b, c, d, e, f = tensors
    captured = facula.capture(weigh, on_break="error")
    for _ in range(3):
        wanted = captured(a, b, {"low": c, "list": [d, e]}, f, bias=b.clone())
    facula.jit.save(captured, tmp_path / "m.facula", run=True)
    names = ["images", "scale", "parts.low", "parts.list.0", "parts.list.1", "more.0", "bias"]
    listed = command(tmp_path / "m.facula", "--list").splitlines()
    assert [line.split(":")[0] for line in listed] == [*[f"input {name}" for name in names], "output y0"]
    given = dict(zip(names, [a, b, c, d, e, f, b], strict=True))
    for name, tensor in given.items():
        np.save(tmp_path / f"{name}.npy", tensor.numpy())
    named = []
    for name in reversed(names):
        named += ["--input", f"{name}={tmp_path}/{name}.npy"]
    mixed = [part for name in names[:3] for part in ("--input", tmp_path / f"{name}.npy")]
    mixed = [*named[: 2 * 4], *mixed]
    for options in (named, mixed):
        assert command(tmp_path / "m.facula", *options, "--output", tmp_path / "y.npy") == ""
        assert np.load(tmp_path / "y.npy").tobytes() == wanted.numpy().tobytes()
    assert "the program has no input image;" in command(
        tmp_path / "m.facula", *named[:-1], f"image={tmp_path}/bias.npy"
    )
    twice = [*named[:-1], f"bias={tmp_path}/bias.npy"]
    assert "--input: expected one file for bias; got two" in command(tmp_path / "m.facula", *twice)


def test_methods_and_modules_name_their_inputs(tmp_path):
    """Check that `self` is no input."""
    path = saved(tmp_path, nn.Linear(3, 2), (facula.ones(4, 3),))
    assert command(path, "--list").startswith("input input: float32 (4, 3)\n")


def test_programs_of_both_modes(tmp_path):
    """Check that the latest capture is the default; `--eval` and `--train` select one, with the same parameters."""
    facula.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5))
    captured = facula.capture(model, on_break="error")
    x = facula.randn(8, 3)
    for mode in (False, True):
        model.train(mode)
        for _ in range(3):
            captured(x)
    path, loaded = tmp_path / "m.facula", tmp_path / "trained.facula"
    facula.jit.save(captured, path, run=True)
    run(tmp_path, path, [x.numpy()], 1, "--save", loaded)
    (trained,) = run(tmp_path, path, [x.numpy()], 1, "--train")
    (default,) = run(tmp_path, path, [x.numpy()], 1)
    assert (trained == 0).any() and trained.tobytes() == default.tobytes()
    model.eval()
    (got,) = run(tmp_path, path, [x.numpy()], 1, "--eval")
    np.testing.assert_array_equal(got, model(x).detach().numpy())
    model.load_state_dict(facula.jit.load(loaded).state_dict(), strict=False)
    (after,) = run(tmp_path, loaded, [x.numpy()], 1, "--eval")  # running statistics of one step more
    assert after.tobytes() != got.tobytes()
    assert facula.jit.load(path)(x).shape == (8, 4)


def test_a_mode_that_was_not_captured(tmp_path):
    """Check the message; functions without modules run in any mode."""
    path = saved(tmp_path, nn.Linear(3, 2), (facula.ones(4, 3),))
    np.save(tmp_path / "x.npy", np.ones((4, 3), "f4"))
    assert "it has no program in evaluation mode;" in command(path, "--input", tmp_path / "x.npy", "--eval")
    path = saved(tmp_path, lambda x: x * 2, (facula.ones(4, 3),))
    assert run(tmp_path, path, [np.ones((4, 3), "f4")], 1, "--eval")[0].sum() == 24


def test_programs_are_chosen_by_all_sizes(tmp_path):
    """Check second dimensions, other inputs and dtypes, and steps if no program fits the arrays as they are."""
    shapes = [((4, 3), (2,)), ((4, 5), (2,)), ((4, 5), (3,)), ((2, 5), (3,))]
    calls = [(facula.ones(*one), facula.ones(*two)) for one, two in shapes]
    calls.append((facula.ones(4, 3), facula.ones(2).double()))
    path = saved(tmp_path, lambda x, y: (x.sum() + 10 * y.sum() + 0 * x, y * 3), *calls)
    for x, y in calls:
        first, second = run(tmp_path, path, [x.numpy(), y.numpy()], 2)
        assert first.shape == x.shape and (first == x.sum().item() + 10 * y.sum().item()).all()
        assert second.dtype == y.numpy().dtype and (second == 3).all()
    steps = np.stack([calls[3][0].numpy() * k for k in range(3)])
    first, _ = run(tmp_path, path, [steps, calls[3][1].numpy()], 2)
    assert (first == 50).all()
    np.save(tmp_path / "x.npy", np.ones((4, 6), "f4"))
    np.save(tmp_path / "y.npy", np.ones(3, "f4"))
    message = command(path, "--input", tmp_path / "x.npy", "--input", tmp_path / "y.npy")
    assert f"--input x={tmp_path}/x.npy: expected float32 (4, 5); got float32 (4, 6)" in message


@pytest.mark.parametrize("threads", [1, 2])
def test_outputs_of_every_step(tmp_path, threads):
    """Check that they are stacked, also for strided results and the last step."""
    weight = facula.tensor([0.0], requires_grad=False)

    def count(x):
        weight.add_(x.sum())
        return weight, x.t() * weight

    x = facula.arange(6).float().reshape(2, 3)
    captured = facula.capture(lambda x: [one.clone() for one in count(x)], on_break="error")
    for _ in range(3):
        captured(x)
    facula.jit.save(captured, tmp_path / "m.facula", run=True)
    steps = np.stack([x.numpy() * k for k in range(4)])
    wanted = [[one.numpy() for one in captured(facula.tensor(one))] for one in steps]
    every = run(tmp_path, tmp_path / "m.facula", [steps], 2, "--every-step", "--threads", threads)
    last = run(tmp_path, tmp_path / "m.facula", [steps], 2, "--threads", threads)
    for place in range(2):
        assert every[place].tobytes() == np.stack([one[place] for one in wanted]).tobytes()
        assert last[place].tobytes() == wanted[-1][place].tobytes() and last[place].shape == wanted[-1][place].shape
    assert "--every-step: expected an --output" in command(tmp_path / "m.facula", "--every-step")
    assert "--threads: expected at most 256; got 300" in command(tmp_path / "m.facula", "--threads", 300)


def test_steps_that_fail_leave_no_file(tmp_path):
    """Check that the outputs of earlier steps are removed."""
    path = saved(tmp_path, lambda table, index: table[index], (facula.ones(3), facula.tensor([1, 2])))
    np.save(tmp_path / "table.npy", np.ones(3, "f4"))
    np.save(tmp_path / "index.npy", np.array([[0, 1], [0, 5]]))
    given = ["--input", tmp_path / "table.npy", "--input", tmp_path / "index.npy"]
    message = command(path, *given, "--output", tmp_path / "y.npy", "--every-step")
    assert "index 5" in message
    assert not (tmp_path / "y.npy").exists()
