"""Changes that a program makes between two calls of a captured step are detected before any write."""

import threading
from contextlib import nullcontext

import pytest
from training_programs import Program, batch, bits, everything

import facula
import facula.nn as nn
import facula.nn.functional as F
from facula import optim


class Network(nn.Module):
    """A module that branches on flags; the program calls its parts but never the module."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 8), nn.BatchNorm1d(8), nn.Dropout(0.2))
        self.head, self.power, self.sizes = nn.Linear(8, 4), 1, [1.0]
        self.register_buffer("shift", facula.ones(8))


def program(wrap):
    network = Network()
    optimizer = optim.Adam([{"params": network.body.parameters()}, {"params": network.head.parameters()}], lr=0.01)

    @wrap
    def learn(x, y):
        optimizer.zero_grad(set_to_none=False)
        hidden = network.body(x) ** network.power * network.sizes[0] + network.shift
        loss = F.cross_entropy(network.head(hidden) + facula.zeros(4), y)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    made = Program(lambda number, last: learn(*batch(number)), [network, optimizer])
    made.network, made.optimizer, made.learn = network, optimizer, learn
    return made


def in_a_thread(change):
    def changed(network, optimizer):
        thread = threading.Thread(target=change, args=(network, optimizer))
        thread.start()
        thread.join()

    return changed


def swapped(network, optimizer):
    weight = network.head.weight
    weight.data = weight.data.clone()


def resized(network, optimizer):
    weight = network.head.weight
    kept = weight.data.clone()
    weight.data.resize_(4000)
    weight.data = weight.data[:32].view(4, 8)
    weight.data.copy_(kept)


def set_to(network, optimizer):
    with facula.no_grad():
        network.head.bias.set_(facula.ones(4))


def replaced(network, optimizer):
    network.head.weight = nn.Parameter(network.head.weight.detach() * 2)
    optimizer.param_groups[1]["params"][0] = network.head.weight


def freed(network, optimizer):
    del network.shift
    network.register_buffer("shift", facula.zeros(8))


def added(network, optimizer):
    optimizer.add_param_group({"params": [nn.Parameter(facula.ones(3))], "lr": 0.5})


def new_head(network, optimizer):
    network.head = nn.Linear(8, 4)
    optimizer.param_groups[1]["params"] = [*network.head.parameters()]


CHANGES = {
    "data": swapped,
    "data, by another thread": in_a_thread(swapped),
    "memory": resized,
    "set_": set_to,
    "shared memory": lambda network, optimizer: network.share_memory(),
    "values": lambda network, optimizer: network.load_state_dict({k: v * 2 for k, v in network.state_dict().items()}),
    "requires_grad": lambda network, optimizer: network.head.weight.requires_grad_(False),
    "requires_grad of all": lambda network, optimizer: network.body.requires_grad_(False),
    "mode": lambda network, optimizer: network.eval(),
    "mode of a part": lambda network, optimizer: network.body[1].eval(),
    "parameter": replaced,
    "buffer": freed,
    "module": new_head,
    "module of a container": lambda network, optimizer: network.body.__setitem__(2, nn.Tanh()),
    "one more module": lambda network, optimizer: network.body.append(nn.Tanh()),
    "number": lambda network, optimizer: setattr(network, "power", 2),
    "number in a list": lambda network, optimizer: network.sizes.__setitem__(0, 0.5),
    "number of a part": lambda network, optimizer: setattr(network.body[2], "p", 0.7),
    "momentum": lambda network, optimizer: setattr(network.body[1], "momentum", None),
    "forward": lambda network, optimizer: setattr(network.head, "forward", lambda x: x[:, :4] * network.head.bias),
    "hook": lambda network, optimizer: network.head.register_forward_hook(lambda module, args, out: out * 2),
    "hook of a parameter": lambda network, optimizer: network.head.weight.register_hook(lambda grad: grad * 2),
    "norm": lambda network, optimizer: nn.utils.parametrizations.weight_norm(network.head),
    "group": added,
    "fewer groups": lambda network, optimizer: optimizer.param_groups.pop(0),
    "order of parameters": lambda network, optimizer: optimizer.param_groups[0]["params"].reverse(),
    "fewer parameters": lambda network, optimizer: optimizer.param_groups[0]["params"].pop(),
    "rate": lambda network, optimizer: optimizer.param_groups[1].update(lr=0.5),
    "flag": lambda network, optimizer: optimizer.param_groups[0].update(amsgrad=True, maximize=True),
    "state": lambda network, optimizer: optimizer.state.clear(),
    "state of one": lambda network, optimizer: optimizer.state.pop(network.head.bias),
    "state's tensor": lambda network, optimizer: optimizer.state[network.head.bias].update(exp_avg=facula.ones(4)),
    "loaded state": lambda network, optimizer: optimizer.load_state_dict(optimizer.state_dict()),
    "gradient": lambda network, optimizer: setattr(network.head.weight, "grad", facula.ones(4, 8)),
    "no gradient": lambda network, optimizer: setattr(network.head.bias, "grad", None),
    "gradient of what has none": lambda network, optimizer: network.zero_grad(),
    "default dtype": lambda network, optimizer: facula.set_default_dtype(facula.float64),
    "threads": lambda network, optimizer: facula.set_num_threads(1),
    "seed": lambda network, optimizer: facula.manual_seed(7),
}


@pytest.fixture(autouse=True)
def settings():
    """Restore process-wide settings after each test."""
    threads = facula.get_num_threads()
    yield
    facula.set_default_dtype(facula.float32)
    facula.set_num_threads(threads)


def same_steps(programs, numbers):
    for number in numbers:
        found = []
        for one in programs:
            facula.manual_seed(number)
            try:
                result = one.step(number, None)
            except Exception as error:
                result = type(error).__name__
            found.append(everything(one, result))
        assert found[0] == found[1], number


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_between_two_calls(name):
    programs = []
    for wrap in (lambda function: function, facula.capture):
        facula.manual_seed(0)
        programs.append(program(wrap))
    same_steps(programs, range(5))
    assert "replayed 3 times" in programs[1].learn.report()
    for one in programs:
        facula.manual_seed(1)
        CHANGES[name](one.network, one.optimizer)
    same_steps(programs, range(5, 10))


CONTEXTS = {
    "none": nullcontext,
    "no_grad": facula.no_grad,
    "inference": facula.inference_mode,
    "autocast": lambda: facula.autocast("cpu", dtype=facula.bfloat16),
    "autocast of halves": lambda: facula.autocast("cpu", dtype=facula.float16),
    "no autocast": lambda: facula.autocast("cpu", enabled=False),
    "saved tensors": lambda: facula.autograd.graph.saved_tensors_hooks(lambda one: one, lambda one: one * 2),
    "anomalies": facula.autograd.detect_anomaly,
    "deterministic": lambda: facula.use_deterministic_algorithms(True) or nullcontext(),
    "another default dtype": lambda: facula.set_default_dtype(facula.float64) or nullcontext(),
}


@pytest.mark.filterwarnings("ignore")
def test_modes_around_a_call():
    network, x = Network(), batch(0)[0]
    captured = facula.capture(lambda x: network.head(network.body(x)) + facula.ones(4))
    for name in [*CONTEXTS, *reversed(CONTEXTS), *list(CONTEXTS)[::3]] * 2:
        found = []
        for function in (captured.function, captured):
            network.zero_grad()
            facula.manual_seed(0)
            network.body[1].reset_running_stats()
            with CONTEXTS[name]():
                result = function(x)
                if result.requires_grad:
                    result.float().sum().backward()
            facula.set_default_dtype(facula.float32)
            facula.use_deterministic_algorithms(False)
            gradients = [bits(one.grad) for one in network.parameters()]
            found.append((bits(result), result.is_inference(), gradients, bits(network.state_dict())))
        assert found[0] == found[1], name


@pytest.mark.parametrize("returns", [lambda loss, model, x: loss.detach(), lambda loss, model, x: model(x).sum()])
def test_rates_hold_where_a_later_call_needs_more_memory(returns):
    def trained(wrap):
        facula.manual_seed(0)
        model, kept, found = nn.Linear(3, 3), [], []
        optimizer = optim.Adam(model.parameters(), lr=0.1)

        @wrap
        def learn(x):
            optimizer.zero_grad()
            loss = model(x).relu().square().sum()
            loss.backward()
            optimizer.step()
            return returns(loss, model, x)

        for number in range(14):
            kept.append(learn(facula.ones(2 if number < 8 or number % 2 else 200, 3) * (number + 1)))
            found.append(bits(model.weight))
            if number == 4:
                optimizer.param_groups[0]["lr"] = 0.01
        return found

    assert trained(lambda function: function) == trained(facula.capture)


def test_a_pass_that_moves_gradients_leaves_rates_followed():
    def trained(wrap):
        facula.manual_seed(0)
        model, found = nn.GRU(6, 6), []
        optimizer = optim.SGD(model.parameters(), lr=0.1)

        @wrap
        def learn(x):
            model(x)[0].square().sum().backward()
            nn.utils.clip_grad_value_(model.parameters(), 0.1)
            optimizer.step()
            optimizer.zero_grad()

        for number in range(12):
            learn(facula.ones(4, 6) * number)
            found.append(bits(model.state_dict()))
            optimizer.param_groups[0]["lr"] *= 0.9
        return found, learn

    (wanted, _), (found, learn) = trained(lambda function: function), trained(facula.capture(on_break="error"))
    assert wanted == found and "replayed 11 times" in learn.report()


def test_groups_that_are_added_are_cleared_where_the_step_is_cut():
    def trained(wrap):
        facula.manual_seed(0)
        model, losses, found = nn.Sequential(nn.Linear(12, 4), nn.Linear(4, 4)), [], []
        optimizer = optim.SGD(model[0].parameters(), lr=0.1)

        @wrap
        def learn(x, y):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            losses.append(loss.item())
            optimizer.step()

        for number in range(12):
            learn(*batch(number))
            found.append(bits(model.state_dict()))
            if number == 5:
                optimizer.add_param_group({"params": [*model[1].parameters()]})
        return found

    assert trained(lambda function: function) == trained(facula.compile)


def test_changes_that_are_seldom_leave_a_step_captured():
    network, optimizer = (one := program(facula.capture)).network, one.optimizer
    for number in range(200):
        one.step(number, None)
        if number % 20 == 5:
            network.power += 1
        if number % 80 == 7:
            optimizer.state.clear()
    assert "eagerly" not in one.learn.report()


@pytest.mark.parametrize("is_last", [False, True], ids=["before the step", "after it"])
def test_an_error_leaves_the_state_of_an_eager_call(is_last):
    """A step whose indices are out of range in some calls: parameters, gradients, step counts, rates."""

    def trained(wrap):
        facula.manual_seed(0)
        table, places, found = nn.Parameter(facula.randn(5, 2)), facula.tensor([0, 1]), []
        optimizer = optim.Adam([table], lr=0.1)
        schedule = optim.lr_scheduler.ExponentialLR(optimizer, 0.9)

        @wrap
        def learn(x):
            optimizer.zero_grad()
            loss = ((table if is_last else table[places]).square() * facula.rand(2)).sum() + x.sum()
            loss.backward()
            optimizer.step()
            schedule.step()
            return (table.detach()[places] if is_last else loss.detach()) * facula.rand(1)

        for number in range(12):
            places.fill_(9 if number in (5, 6, 9) else 1)
            try:
                found.append(bits(learn(facula.ones(2))))
            except IndexError:
                found.append("an error")
            grad = None if table.grad is None else bits(table.grad)
            found.append(
                (bits(table.detach()), grad, bits(facula.rand(1)), schedule.last_epoch, optimizer.param_groups[0]["lr"])
            )
        return found, learn

    (wanted, _), (found, learn) = trained(lambda function: function), trained(facula.capture(check=0))
    assert found == wanted and wanted.count("an error") == 3
    assert "replayed" in learn.report()
