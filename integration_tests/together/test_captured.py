"""Captured training programs give the same numbers as eager ones, bit for bit, for all kinds of steps."""

import copy
import pickle

import numpy as np
import pytest
from captured_programs import PROGRAMS, adam, build, gathered, perceptron, sgd, simple, vectors

import facula
import facula.nn as nn
import facula.nn.functional as F
from facula import optim

STEPS, EVALUATED = 24, range(10, 13)


@pytest.fixture(autouse=True)
def checked(monkeypatch):
    """Capture with a check of every second replay."""
    monkeypatch.setenv("FACULA_CAPTURE_CHECK", "2")


def same(a, b):
    """Return whether two tensors, or None, are the same bits."""
    if a is None or b is None:
        return a is b
    a, b = [one.detach().numpy() for one in (a, b)]
    return a.tobytes() == b.tobytes() and a.shape == b.shape


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_captured_program_is_the_program(name):
    make, begin, write, data = PROGRAMS[name]
    model, optimizer, step = build(make, begin, write)
    other, others, written = build(make, begin, write)
    captured = facula.capture(written, on_break="error")
    for number in range(STEPS):
        facula.manual_seed(100 + number)
        x, y = data()
        for one in (model, other):
            one.train(number not in EVALUATED)
        if number == 17:
            for one in (optimizer, others):
                one.param_groups[0]["lr"] *= 0.5
        if write is gathered and number % 4 == 3:
            for one in (optimizer, others):
                one.step()
                one.zero_grad()
        state = facula.get_rng_state()
        wanted = step(x, y)
        after = facula.get_rng_state()
        facula.set_rng_state(state)
        found = captured(x, y)
        assert facula.equal(facula.get_rng_state(), after), number
        assert all(map(same, *[one if isinstance(one, tuple) else (one,) for one in (wanted, found)])), number
        for key, value in model.state_dict().items():
            assert same(value, other.state_dict()[key]), (number, key)
        assert all(same(p.grad, q.grad) for p, q in zip(model.parameters(), other.parameters())), number
        assert optimizer.state_dict()["param_groups"] == others.state_dict()["param_groups"]
    replays = [one for kind in captured._entries.values() for one in kind.replays]
    assert sum(one.served for one in replays) >= STEPS - 8, captured.report()


def test_a_module_that_was_changed_is_noticed():
    model = perceptron()
    captured = facula.capture(model)
    changes = [
        lambda: setattr(model[0], "weight", nn.Parameter(facula.randn(16, 16))),
        lambda: model[0].weight.data.mul_(2),
        lambda: setattr(model[0].weight, "data", facula.randn(16, 16)),
        lambda: model.append(nn.Tanh()),
        lambda: model.register_forward_hook(lambda module, args, out: out * 3),
        lambda: model.double(),
        lambda: model.requires_grad_(False),
        lambda: model.load_state_dict({key: one + 1 for key, one in model.state_dict().items()}),
    ]
    for number, change in enumerate(changes):
        for _ in range(3):
            x = facula.randn(2, 16, dtype=model[0].weight.dtype)
            assert same(captured(x), model(x)), number
        assert captured(x).requires_grad == model(x).requires_grad
        change()
    x = facula.randn(2, 16, dtype=facula.float64)
    assert same(captured(x), model(x))


def counting(log):
    return lambda *given: log.append(len(given))


HOOKS = ("forward_pre_hook", "forward_hook", "full_backward_pre_hook", "full_backward_hook")


@pytest.mark.filterwarnings("ignore:capture")
@pytest.mark.parametrize("first", [0, 3])
@pytest.mark.parametrize("kind", HOOKS)
def test_hooks_of_modules_that_remember(kind, first):
    found = []
    for wrap in (lambda module: module, facula.capture):
        facula.manual_seed(0)
        model, log = perceptron(), []
        run = wrap(model)
        for number in range(8):
            if number == first:
                getattr(model[2 if "pre" in kind else 0], f"register_{kind}")(counting(log))
            model.zero_grad()
            run(facula.randn(3, 16).requires_grad_()).sum().backward()
            found.append(([one.grad for one in model.parameters()], list(log)))
    for one, other in zip(found[:8], found[8:]):
        assert all(map(same, one[0], other[0])) and one[1] == other[1]
    assert "runs eagerly: " in run.report()


@pytest.mark.filterwarnings("ignore:capture")
def test_a_penalty_on_gradients():
    found = []
    for wrap in (lambda module: module, facula.capture):
        facula.manual_seed(0)
        model = perceptron()
        optimizer, critic = adam(model.parameters()), wrap(model)
        for _ in range(6):
            real, fake = facula.randn(2, 4, 16)
            between = (real + facula.rand(4, 1) * (fake - real)).requires_grad_()
            loss = critic(fake).mean() - critic(real).mean()
            scores = critic(between)
            (slopes,) = facula.autograd.grad(scores, between, facula.ones_like(scores), create_graph=True)
            optimizer.zero_grad()
            (loss + ((slopes.norm(2, 1) - 1) ** 2).mean() + scores.mean() / 100).backward()
            optimizer.step()
            found += [loss, *[one.clone() for one in model.parameters()]]
    half = len(found) // 2
    assert all(map(same, found[:half], found[half:]))
    assert "replayed 11 times" in critic.report() and "create_graph=True" in critic.report()


def test_a_captured_module_has_what_the_module_has():
    model = perceptron(0.5)
    captured = facula.capture(model)
    assert list(captured.state_dict()) == list(model.state_dict()) and captured.eval() is model
    assert [p is q for p, q in zip(captured.parameters(), model.parameters())] == [True] * 4
    with pytest.raises(AttributeError, match="nothing"):
        captured.nothing
    again = pickle.loads(pickle.dumps(captured))
    x = facula.ones(1, 16)
    for _ in range(2):
        captured(x)
    assert "replayed once" in captured.report()
    assert same(again(x), model(x)) and same(copy.deepcopy(captured)(x), model(x))


def test_an_optimizer_that_was_changed_is_noticed():
    def changed(optimizer, number):
        group = optimizer.param_groups[0]
        if number == 3:
            group["betas"] = (0.5, 0.6)
        elif number == 6:
            optimizer.load_state_dict(optimizer.state_dict())
        elif number == 9:
            group["weight_decay"], group["maximize"] = 0.1, True
        elif number == 12:
            optimizer.state.clear()
        elif number == 15:
            optimizer.add_param_group({"params": [extra], "lr": 0.5})
        elif number == 18:
            group["params"] = group["params"][:1]

    results = []
    for wrap in (lambda step: step, facula.capture):
        facula.manual_seed(0)
        model = perceptron()
        extra = facula.ones(2, requires_grad=True)
        optimizer = adam(model.parameters())
        step = wrap(simple(model, optimizer))
        for number in range(22):
            changed(optimizer, number)
            loss, _ = step(*vectors())
            results.append(loss.detach())
    assert all(map(same, results[:22], results[22:])), [i for i in range(22) if not same(results[i], results[i + 22])]


def test_results_of_numpy_functions_are_replayed():
    captured = facula.capture(lambda x: facula.linalg.qr(x + facula.eye(4))[1], on_break="error")
    for seed in range(4):
        x = facula.from_numpy(np.random.default_rng(seed).standard_normal((4, 4)))
        assert same(captured(x), facula.linalg.qr(x + facula.eye(4))[1])


@pytest.mark.filterwarnings("ignore:capture")
def test_rates_that_the_function_sets():
    def build():
        weight = facula.ones(2, requires_grad=True)
        optimizer = sgd([weight])

        def step(x, rate):
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.zero_grad()
            (weight * x).sum().backward()
            optimizer.step()
            return weight.detach().clone()

        return step

    plain, captured = build(), facula.capture(build())
    for number in range(9):
        rate = (0.1, 0.2, 0.3)[number % 3]
        x = facula.randn(2)
        assert same(captured(x, rate), plain(x, rate)), number


class Branching(nn.Module):
    """A module that branches on values, also in a nested submodule."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(16, 16), nn.Linear(16, 10)
        self.seen = []

    def forward(self, x):
        hidden = self.first(x).relu()
        if hidden.max() > 1.5:
            hidden = hidden / hidden.max()
        return self.last(self.scaled(hidden).tanh())

    def scaled(self, hidden):
        hidden = hidden * 2
        self.seen.append(hidden.mean().item())
        return hidden + 1 if self.seen[-1] > 0.5 else hidden - 1


def branching_step(model, optimizer, schedule, x, y, losses):
    """A step that reads its loss and keeps it."""
    loss = F.cross_entropy(model(x), y)
    losses.append(loss.item())
    if losses[-1] > 2:
        loss = loss * 1.5
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    losses[-1] += optimizer.param_groups[0]["lr"]
    return loss.detach() + 1


@pytest.mark.parametrize("make", [Branching, lambda: nn.Sequential(perceptron(0.2), nn.BatchNorm1d(10), Wrapped())])
def test_a_step_that_looks_at_values_is_captured_in_pieces(make):
    found = []
    for function in (branching_step, facula.capture(branching_step, on_break="split")):
        facula.manual_seed(0)
        model, losses = make(), []
        optimizer = optim.AdamW(model.parameters(), lr=1e-2)
        schedule = optim.lr_scheduler.StepLR(optimizer, 5, 0.5)
        results = [function(model, optimizer, schedule, *vectors(), losses).item() for _ in range(STEPS)]
        found.append((results, losses, [one.tolist() for one in model.parameters()], facula.get_rng_state().tolist()))
    assert found[0] == found[1]
    assert "replayed 1" in function.report() or "replayed 2" in function.report()
    assert "forward" not in vars(model)


class Wrapped(nn.Module):
    """A module that calls a module that branches on values."""

    def __init__(self):
        super().__init__()
        self.inner, self.before = Branching(), nn.Linear(10, 16)

    def forward(self, x):
        y = self.before(x)
        return self.inner(y)
