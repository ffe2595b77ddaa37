"""Complete networks and optimizers in files: a loaded program continues bit for bit."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import facula
import facula.nn as nn
import facula.nn.functional as F
import facula_cpu
from facula import jit, optim
from facula_errors.testing import raises

OPTIMIZERS = {
    "SGD": (optim.SGD, {"lr": 0.1}),
    "momentum": (optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 1e-4, "nesterov": True}),
    "Adam": (optim.Adam, {"lr": 0.01, "amsgrad": True, "weight_decay": 0.1}),
    "AdamW": (optim.AdamW, {"lr": 0.01}),
    "RMSprop": (optim.RMSprop, {"lr": 0.01, "momentum": 0.5, "centered": True}),
    "Adagrad": (optim.Adagrad, {"lr": 0.01}),
    "Adadelta": (optim.Adadelta, {}),
    "Adamax": (optim.Adamax, {}),
    "NAdam": (optim.NAdam, {"weight_decay": 0.1}),
    "RAdam": (optim.RAdam, {}),
    "ASGD": (optim.ASGD, {}),
    "Rprop": (optim.Rprop, {}),
    "Adafactor": (optim.Adafactor, {"lr": 0.01}),
}
OTHERS = {
    "lr": 0.003,
    "weight_decay": 0.02,
    "momentum": 0.5,
    "betas": (0.8, 0.95),
    "eps": 1e-6,
    "alpha": 0.9,
    "rho": 0.8,
}


def step_of(model, optimizer, loss_of=F.mse_loss, clip=None):
    @facula.capture
    def step(x, y):
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        return loss.detach()

    return step


def equal(step, loaded, *args, times=3):
    """Return whether both give the same losses, with the same random numbers."""
    state = facula.get_rng_state()
    wanted = [step(*args).item() for _ in range(times)]
    facula.set_rng_state(state)
    return [loaded(*args).item() for _ in range(times)] == wanted


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_go_on_and_follow_their_options(name, tmp_path):
    facula.manual_seed(0)
    kind, options = OPTIMIZERS[name]
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3))
    optimizer = kind(model.parameters(), **options)
    step, x, y = step_of(model, optimizer), facula.randn(8, 6), facula.randn(8, 3)
    for _ in range(4):
        step(x, y)
    jit.save(step, tmp_path / "step.facula")
    loaded = jit.load(tmp_path / "step.facula")
    assert equal(step, loaded, x, y)
    for option, value in OTHERS.items():
        if option in optimizer.param_groups[0] and (name, option) not in {("SGD", "momentum"), ("Adafactor", "eps")}:
            loaded.options[0][option] = optimizer.param_groups[0][option] = value
            assert equal(step, loaded, x, y), option
    for path, one in model.state_dict().items():
        assert loaded.state_dict()[f"model.{path}"].tolist() == one.tolist()
    loaded.save(tmp_path / "again.facula")
    again = jit.load(tmp_path / "again.facula")
    assert dict(again.options[0]) == dict(loaded.options[0]) and equal(step, again, x, y)


def test_options_that_decide_on_more_than_numbers(tmp_path):
    model = nn.Linear(2, 2)
    step, x = step_of(model, optim.SGD(model.parameters(), lr=0.1)), facula.randn(3, 2)
    for _ in range(3):
        step(x, facula.zeros(3, 2))
    jit.save(step, tmp_path / "step.facula")
    options = jit.load(tmp_path / "step.facula").options[0]
    for name, value, kind, said in (
        ("momentum", 0.9, RuntimeError, "momentum of SGD cannot be changed"),
        ("nesterov", True, RuntimeError, "nesterov of SGD cannot be changed"),
        ("speed", 1.0, KeyError, "SGD has no option 'speed'"),
        ("lr", "fast", ValueError, "expected lr to be a finite number"),
        ("lr", float("nan"), ValueError, "expected lr to be a finite number"),
    ):
        with raises(kind, "...", said):
            options[name] = value
    assert options["lr"] == 0.1 and "SGD(lr=0.1" in repr(options)


def digits():
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(36, 8), nn.Dropout(0.2), nn.LayerNorm(8), nn.Linear(8, 4))  # fmt: skip


def test_a_digits_network_for_all_sizes_of_the_batch(tmp_path):
    """Check convolutions, statistics, dropout, clipping and AdamW, trained by a program that has only the file."""
    facula.manual_seed(1)
    model = digits()
    step = step_of(model, optim.AdamW(model.parameters(), lr=0.01), F.cross_entropy, clip=1.0)
    for size in (8, 12, 9):
        images, classes = facula.randn(size, 1, 8, 8), facula.randint(0, 4, (size,))
        for _ in range(3):
            step(images, classes)
    jit.save(step, tmp_path / "step.facula", batch=True)
    program = """
import facula
step = facula.jit.load("step.facula")
facula.manual_seed(2)
for size in (5, 33, 64):
    images, classes = facula.randn(size, 1, 8, 8), facula.randint(0, 4, (size,))
    for _ in range(3):
        print(step(images, classes).item())
"""
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=600
    ).stdout.split()
    facula.manual_seed(2)
    wanted = []
    for size in (5, 33, 64):
        images, classes = facula.randn(size, 1, 8, 8), facula.randint(0, 4, (size,))
        wanted += [repr(step(images, classes).item()) for _ in range(3)]
    assert found == wanted


class Attends(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.attention = nn.Embedding(11, 8), nn.MultiheadAttention(8, 2, batch_first=True)
        self.out = nn.Linear(8, 11)

    def forward(self, tokens):
        x = self.embedding(tokens)
        return self.out(x + self.attention(x, x, x, need_weights=False)[0]).flatten(0, 1)


class Recalls(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.out = nn.LSTM(4, 6, batch_first=True), nn.Linear(6, 2)

    def forward(self, x):
        return self.out(self.layer(x)[0][:, -1])


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (Attends, lambda: (facula.randint(0, 11, (3, 5)), facula.randint(0, 11, (15,)))),
        (Recalls, lambda: (facula.randn(3, 7, 4), facula.randint(0, 2, (3,)))),
        (lambda: nn.Sequential(nn.GRU(4, 6), nn.Identity()) and digits(),
         lambda: (facula.randn(6, 1, 8, 8), facula.randint(0, 4, (6,)))),
    ],
)  # fmt: skip
def test_networks_train_on(make, arguments, tmp_path):
    facula.manual_seed(3)
    model = make()
    step, args = step_of(model, optim.Adam(model.parameters(), lr=0.01), F.cross_entropy), arguments()
    for _ in range(3):
        step(*args)
    jit.save(step, tmp_path / "step.facula")
    assert equal(step, jit.load(tmp_path / "step.facula"), *args, times=5)


def test_a_scaler_leaves_out_the_same_steps(tmp_path):
    facula.manual_seed(4)
    model = nn.Linear(4, 3)
    optimizer, scaler = optim.SGD(model.parameters(), lr=0.1), facula.amp.GradScaler("cpu", growth_interval=2)

    @facula.capture
    def step(x, y):
        optimizer.zero_grad()
        with facula.autocast("cpu", dtype=facula.bfloat16):
            loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss.detach()

    x, y = facula.randn(5, 4), facula.randint(0, 3, (5,))
    for _ in range(4):
        step(x, y)
    jit.save(step, tmp_path / "step.facula")
    loaded = jit.load(tmp_path / "step.facula")
    large = x * 1e38
    for one in (x, large, x, x, large, x):
        assert equal(step, loaded, one, y, times=1)
    assert loaded.state_dict()["model.weight"].tolist() == model.weight.tolist()


def test_traced_and_frozen_models(tmp_path):
    model = digits()
    images = facula.randn(3, 1, 8, 8)
    with raises(RuntimeError, "...", "evaluation mode"):
        jit.freeze(jit.trace(model, images, check_trace=False))
    frozen = jit.freeze(jit.trace(model.eval(), images))
    more = facula.randn(10, 1, 8, 8)
    with facula.no_grad():
        assert frozen(more).tolist() == model(more).tolist()
    jit.save(frozen, tmp_path / "frozen.facula")
    assert jit.load(tmp_path / "frozen.facula")(more).tolist() == frozen(more).tolist()


def test_a_loaded_model_is_fine_tuned_by_an_optimizer(tmp_path):
    facula.manual_seed(5)
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
    traced, x, y = jit.trace(model, facula.randn(5, 4)), facula.randn(5, 4), facula.randint(0, 2, (5,))
    traced.save(tmp_path / "model.facula")
    loaded = jit.load(tmp_path / "model.facula")
    losses = []
    for call, parameters in ((model, model.parameters()), (loaded, loaded.parameters())):
        optimizer = optim.SGD(parameters, lr=0.5)
        losses.append([])
        for _ in range(4):
            optimizer.zero_grad()
            loss = F.cross_entropy(call(x), y)
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.item())
    assert losses[0] == losses[1]
    assert [name for name, _ in loaded.named_parameters()] == [name for name, _ in model.named_parameters()]


def test_modes_and_buffers(tmp_path):
    """Check that a loaded graph records the mode of its modules, and does not change it."""
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    path, modes = tmp_path / "model.facula", ("evaluation", "training")
    for mode in (True, False):
        jit.save(jit.trace(model.train(mode), facula.randn(2, 3)), path)
        loaded = jit.load(path)
        assert loaded.training is mode and loaded.train(mode) is loaded
        with pytest.raises(
            RuntimeError, match=f"was captured in {modes[mode]} mode, .* capture it in {modes[not mode]}"
        ):
            loaded.train(not mode)
    with raises(RuntimeError, "...", "was captured in evaluation mode"):
        loaded.train()
    names = ["1.running_mean", "1.running_var"]
    assert [name for name, _ in loaded.named_buffers()] == names and len(list(loaded.buffers())) == 2


def test_schedules_inside_are_refused_by_name(tmp_path):
    model = nn.Linear(2, 2)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    schedule = optim.lr_scheduler.ExponentialLR(optimizer, 0.9)

    @facula.capture
    def step(x):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
        schedule.step()

    for _ in range(3):
        step(facula.randn(3, 2))
    with raises(jit.SaveError, "save", "a schedule steps inside of the function"):
        jit.save(step, tmp_path / "step.facula")


def test_a_saved_step_runs_without_python_and_comes_back(tmp_path):
    """Check that `facula-run` continues a saved step, and that Python continues the file that it saves."""
    facula.manual_seed(6)
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))
    step = step_of(model, optim.AdamW(model.parameters(), lr=0.02), F.cross_entropy)
    x, y = facula.randn(5, 4), facula.randint(0, 3, (5,))
    for _ in range(3):
        step(x, y)
    jit.save(step, tmp_path / "step.facula", run=True)
    loaded = jit.load(tmp_path / "step.facula")
    wanted = [step(x, y).item() for _ in range(4)]
    np.save(tmp_path / "x.npy", x.numpy())
    np.save(tmp_path / "y.npy", y.numpy())
    words = "step.facula --input x.npy --input y.npy --output loss.npy --steps 4 --save after.facula"
    program = Path(facula_cpu.__file__).with_name("facula-run")
    done = subprocess.run([program, *words.split()], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert not done.returncode, done.stderr
    assert [loaded(x, y).item() for _ in range(4)] == wanted and np.load(tmp_path / "loss.npy").item() == wanted[-1]
    assert jit.load(tmp_path / "after.facula")(x, y).item() == step(x, y).item()
