"""The C program runs captured programs bit for bit like Python: networks and training steps, at every level."""

import numpy as np
import pytest
from captured_programs import PROGRAMS, Choosing, adam, build, perceptron, sgd, simple, vectors
from model_files import PROGRAM, latest, run, write

import facula
import facula.nn as nn
from facula_cpu.extend import at_level, levels
from facula_errors.testing import raises
from facula_jit._replay.portable_program import section

STEPS = 20


def arrays_of(results):
    return [one.detach().numpy() for one in (results if isinstance(results, tuple) else (results,))]


def captured_step(name, calls=5):
    """Return a captured step after a few calls, and batches for more."""
    make, begin, write_step, data = PROGRAMS[name]
    _, _, step = build(make, begin, write_step)
    captured = facula.capture(step, on_break="error")
    for _ in range(calls):
        captured(*data())
    return captured, [data() for _ in range(STEPS)]


NAMES = [name for name in PROGRAMS if name != "schedule"]
AT_LEVELS = [(name, level) for name in NAMES for level in levels() if level == levels()[-1] or "optim" not in name]


@pytest.mark.parametrize(("name", "level"), AT_LEVELS)
def test_training_without_python(name, level, tmp_path):
    """Compare losses and results after 20 steps, and the saved parameters."""
    with at_level(level):
        captured, batches = captured_step(name)
        path = write(tmp_path / "step.facula", step=captured)
        replay = latest(captured)
        for batch in batches:
            wanted = arrays_of(captured(*batch))
        assert latest(captured) is replay, captured.report()
        inputs = [np.stack([batch[place].numpy() for batch in batches]) for place in range(2)]
        saved = tmp_path / "saved.facula"
        options = ["--steps", STEPS, "--save", saved]
        made = run(tmp_path, path, inputs, len(wanted), *options, FACULA_CPU_LEVEL=level)
        for number, (got, want) in enumerate(zip(made, wanted, strict=True)):
            assert got.tobytes() == want.tobytes(), number
        further = arrays_of(captured(*batches[0]))
        again = run(tmp_path, saved, [one.numpy() for one in batches[0]], len(wanted), FACULA_CPU_LEVEL=level)
        for number, (got, want) in enumerate(zip(again, further, strict=True)):
            assert got.tobytes() == want.tobytes(), number


@pytest.mark.parametrize("name", ["optim.AdamW", "dropout", "LSTM", "transformer", "batch norm"])
def test_models_for_several_batches(name, tmp_path):
    """Check forward passes of two sizes from one file, which share parameters."""
    make, _, _, data = PROGRAMS[name]
    facula.manual_seed(0)
    model = make().eval()
    x = data()[0]
    wanted, captures = {}, {}
    for size in (1, 3):
        captures[f"b{size}"] = captured = facula.capture(lambda x: model(x), on_break="error")
        for _ in range(4):
            wanted[size] = captured(x[:size].contiguous())
    path = write(tmp_path / "model.facula", **captures)
    for size in (3, 1):
        (got,) = run(tmp_path, path, [x[:size].numpy()], 1)
        assert got.tobytes() == wanted[size].detach().numpy().tobytes()


@pytest.mark.parametrize(
    "name", ["optim.AdamW", "dropout", "LSTM", "transformer", "batch norm", "scaler", "conditions"]
)
def test_files_that_python_reads_too(name, tmp_path):
    """Check `save(run=True)`: facula-run trains, and a graph loaded from its saved file has the new parameters."""
    make, begin, write_step, data = PROGRAMS[name]
    model, _, step = build(make, begin, write_step)
    captured = facula.capture(step, on_break="error")
    for _ in range(5):
        captured(*data())
    batches = [data() for _ in range(STEPS)]
    facula.jit.save(captured, tmp_path / "step.facula", run=True)
    for batch in batches:
        wanted = arrays_of(captured(*batch))
    inputs = [np.stack([batch[place].numpy() for batch in batches]) for place in range(2)]
    saved = tmp_path / "saved.facula"
    made = run(tmp_path, tmp_path / "step.facula", inputs, len(wanted), "--steps", STEPS, "--save", saved)
    for number, (got, want) in enumerate(zip(made, wanted, strict=True)):
        assert got.tobytes() == want.tobytes(), number
    known = {one.numpy().tobytes() for one in facula.jit.load(saved).state_dict().values()}
    assert all(one.detach().numpy().tobytes() in known for one in model.parameters())


@pytest.mark.parametrize("threads", ["1", "2"])
def test_threads_and_levels_of_another_machine(tmp_path, threads):
    """Run a file made at the best level at the lowest, and compare with a file made there."""
    captured, batches = captured_step("LSTM")
    path = write(tmp_path / "best.facula", step=captured)
    with at_level("baseline"):
        lowest, _ = captured_step("LSTM")
        other = write(tmp_path / "lowest.facula", step=lowest)
    inputs = [one.numpy() for one in batches[0]]
    options = {"FACULA_CPU_LEVEL": "baseline", "FACULA_NUM_THREADS": threads}
    for got, want in zip(run(tmp_path, path, inputs, 2, **options), run(tmp_path, other, inputs, 2, **options)):
        np.testing.assert_allclose(got, want, rtol=1e-4)


@pytest.mark.parametrize("begin", [sgd, adam, lambda p: facula.optim.AdamW(p, lr=0.1, weight_decay=0.3)])
@pytest.mark.parametrize("make", [perceptron, Choosing])
def test_learning_rates_by_name(make, begin, tmp_path):
    """Check that values derived from lr, including decoupled decay, follow in C, also in conditions and loops."""
    _, optimizer, step = build(make, begin, simple)
    captured = facula.capture(step, on_break="error")
    batches = [vectors() for _ in range(4)]
    for batch in batches:
        captured(*batch)
    path = write(tmp_path / "step.facula", step=captured)
    optimizer.param_groups[0]["lr"] = 0.037
    for batch in batches:
        wanted = arrays_of(captured(*batch))
    inputs = [np.stack([batch[place].numpy() for batch in batches]) for place in range(2)]
    made = run(tmp_path, path, inputs, 2, "--steps", 4, "--set", "lr=0.037")
    assert made[0].tobytes() == wanted[0].tobytes()


def test_groups_of_an_optimizer(tmp_path):
    """Check that a name sets all groups, or one of them by its number."""
    facula.manual_seed(0)
    model = perceptron()
    groups = [{"params": model[0].parameters()}, {"params": model[3].parameters()}]
    optimizer = facula.optim.SGD(groups, lr=0.1)
    captured = facula.capture(simple(model, optimizer), on_break="error")
    batch = vectors()
    for _ in range(5):
        captured(*batch)
    path = write(tmp_path / "step.facula", step=captured)
    for options, rates in ((["lr=0.5"], (0.5, 0.5)), (["lr=0.5", "--set", "lr.1=0.25"], (0.5, 0.25))):
        state = model.state_dict()
        kept = {key: one.clone() for key, one in state.items()}
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate
        wanted = [captured(*batch)[0] for _ in range(3)][-1]
        made = run(tmp_path, path, [one.numpy() for one in batch], 1, "--steps", 3, "--set", *options)
        assert made[0].tobytes() == wanted.detach().numpy().tobytes()
        model.load_state_dict(kept)


def test_what_needs_python_is_refused():
    """Check the names in messages: a schedule inside the step, NumPy functions, tensors without a name."""
    captured, _ = captured_step("schedule")
    with raises(NotImplementedError, "jit.save", "the captured function steps a schedule"):
        section(latest(captured), dict.fromkeys(range(1000), ("a", 0)))
    spectrum = facula.capture(lambda x: facula.linalg.eigvals(x).real, on_break="error")
    for _ in range(2):
        spectrum(facula.randn(3, 3))
    with raises(NotImplementedError, "jit.save", "eigvals ... is computed by Python or NumPy"):
        section(latest(spectrum), {})
    model = facula.capture(nn.Linear(4, 4), on_break="error")
    for _ in range(2):
        model(facula.randn(2, 4))
    with raises(ValueError, "jit.save", "a name in the file for each tensor of the program"):
        section(latest(model), {})


def test_the_program_is_installed():
    """Check that it is in the folder of its library and header."""
    assert (PROGRAM.parent / "libfacula_kernels.1.so").exists()
    assert (PROGRAM.parent / "include" / "facula_run.h").exists()
