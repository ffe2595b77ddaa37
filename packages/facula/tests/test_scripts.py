"""Scripted modules: facula.nn's modules, with training, hooks and modes, inside captured steps."""

import copy

import facula
import facula.nn.functional as F
from facula import jit, nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(4, 4), nn.Linear(4, 4)
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("count", facula.zeros(()))

    def forward(self, x):
        if self.training:
            x = self.norm(x)
        if x.mean() > 0:
            self.count.add_(1)
            x = self.up(x)
        else:
            x = self.down(x).relu()
        while not self.training and x.abs().max() > 1:
            x = x / 2
        return self.finish(x)

    def finish(self, x):
        return x if x.sum() > 0 else x * 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), Gate(), nn.Tanh())
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x))

    @jit.export
    def widest(self, x):
        if x.sum() > 0:
            x = -x
        return self(x).amax()


def test_a_script_shares_parameters_but_not_modes():
    net = Net()
    made = jit.script(net)
    assert isinstance(made, Net) and isinstance(made.body[1], Gate) and repr(made) == repr(net)
    assert [id(one) for one in made.parameters()] == [id(one) for one in net.parameters()]
    assert list(made.state_dict()) == list(net.state_dict())
    made.eval()
    assert net.body[1].training and not made.body[1].training
    net.eval()
    for seed in range(6):
        x = facula.randn(5, 3, generator=facula.Generator().manual_seed(seed))
        assert facula.equal(net(x), made(x)) and facula.equal(net.widest(x), made.widest(x))
        seen = []
        handle = made.body[1].register_forward_hook(lambda *parts: seen.append(parts[2]))
        made(x)
        handle.remove()
        assert len(seen) == 1


def test_a_captured_step_of_a_script_trains_like_the_module():
    facula.manual_seed(0)
    net = Net()
    nets = [net, jit.script(copy.deepcopy(net))]
    steps = []
    for one in nets:
        optimizer = facula.optim.SGD(one.parameters(), lr=0.1)

        def step(x, y, one=one, optimizer=optimizer):
            loss = F.cross_entropy(one(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss.detach()

        steps.append(step)
    # A branch that only another call takes has zero gradients in replays; in eager code they are None.
    captured = facula.capture(steps[1], on_break="error")
    for number in range(12):
        generator = facula.Generator().manual_seed(number)
        x, y = facula.randn(6, 3, generator=generator), facula.randint(0, 2, (6,), generator=generator)
        facula.testing.assert_close(captured(x, y), steps[0](x, y))
    for a, b in zip(*[one.state_dict().values() for one in nets], strict=True):
        facula.testing.assert_close(a, b)
    assert "replayed" in captured.report()


def test_inference_of_a_script_is_captured_completely():
    net = Net().eval()
    fast = facula.capture(jit.script(net), on_break="error")
    with facula.no_grad():
        for seed in range(6):
            x = facula.randn(5, 3, generator=facula.Generator().manual_seed(seed))
            facula.testing.assert_close(fast(x), net(x), rtol=0, atol=0)


def test_older_decorators_are_supported():
    @jit.ignore
    def f(x):
        return x

    @jit.ignore(drop=True)
    def g(x):
        return x

    assert (f(1), g(2), jit.unused(f)(3), jit.export(g)(4), jit.is_scripting()) == (1, 2, 3, 4, False)
