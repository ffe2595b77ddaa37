"""Random operators and optimizers in graphs: each replay does what the block would do then."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

default = torch.cuda.default_generators[0]
own = torch.Generator(device="cuda")
x = torch.ones(6, 5, device="cuda")


def captured(block):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = block()
    return graph, results


def seed(number):
    torch.manual_seed(number)
    own.manual_seed(number + 1)


def step():
    given = x.clone().requires_grad_()
    out = checkpoint(lambda t: nn.functional.dropout(t, 0.5) * 2, given, use_reentrant=False)
    out.sum().backward()
    assert out.shape == given.grad.shape
    return out.detach(), given.grad


def seeds_itself():
    before = torch.rand(3, device="cuda")
    default.manual_seed(3)
    return before, torch.rand(3, device="cuda")


def on_another_stream():
    stream, current = torch.cuda.Stream(), torch.cuda.current_stream()
    first = torch.rand(9, device="cuda")
    stream.wait_stream(current)
    with torch.cuda.stream(stream):
        second = torch.rand(9, device="cuda")
    current.wait_stream(stream)
    return first, second


# The numbers of eager calls with the same seed, bit by bit, and the same state afterwards.
for block in (
    lambda: (torch.rand(3, device="cuda"), torch.randn(900, device="cuda"), torch.randint(9, (7,), device="cuda")),
    lambda: (torch.rand(5, device="cuda", generator=own), torch.rand(5, device="cuda")),
    lambda: (nn.functional.dropout(x, 0.5), torch.bernoulli(x * 0.5), torch.rand_like(x.double())),
    lambda: (torch.randperm(20, device="cuda"), torch.multinomial(x, 3), torch.poisson(x * 4)),
    lambda: (torch.empty(9, device="cuda").exponential_(), torch.empty(4, 6, device="cuda").t().normal_()),
    lambda: (torch.vmap(lambda row: row * torch.rand(5, device="cuda"), randomness="different")(x),),
    step,
    seeds_itself,
    on_another_stream,
):
    block()
    seed(1)
    graph, results = captured(block)
    assert default.get_state().tolist() == [1, *[0] * 15], default.get_state()
    for number in (7, 8):
        seed(number)
        expected = [[one.clone() for one in block()] for _ in range(3)]
        after = default.get_state().tolist(), own.get_state().tolist()
        seed(number)
        for values in expected:
            graph.replay()
            assert all(map(torch.equal, results, values))
        assert (default.get_state().tolist(), own.get_state().tolist()) == after

# Both passes of a graphed module use one mask, which differs from call to call.
dropout = torch.cuda.make_graphed_callables(nn.Dropout(0.5), (torch.ones(40, device="cuda", requires_grad=True),))
torch.manual_seed(5)
masks = []
for _ in range(3):
    given = torch.ones(40, device="cuda", requires_grad=True)
    out = dropout(given)
    out.sum().backward()
    masks.append(out.detach().clone())
    assert torch.equal(given.grad, masks[-1])
torch.manual_seed(5)
assert all(torch.equal(mask, nn.functional.dropout(torch.ones(40, device="cuda"), 0.5)) for mask in masks)

# Optimizers: replays continue the step count. State that the block would create is refused.
for name, options in {
    "SGD": {"lr": 0.1, "momentum": 0.9, "dampening": 0.1}, "Adam": {"amsgrad": True}, "AdamW": {}, "NAdam": {},
    "RAdam": {}, "Adamax": {}, "ASGD": {"t0": 2}, "Rprop": {}, "RMSprop": {"momentum": 0.5}, "Adadelta": {},
    "Adagrad": {"lr_decay": 0.1}, "Adafactor": {}, "Muon": {},
}.items():  # fmt: skip
    parameters = [torch.arange(20.0, device="cuda").reshape(4, 5).requires_grad_() for _ in range(2)]
    for p in parameters:
        p.grad = torch.ones_like(p)
    graphed, eager = (getattr(torch.optim, name)([p], **options) for p in parameters)
    if name != "Adagrad":  # its state is there from the start
        try:
            captured(graphed.step)
        except RuntimeError as error:
            assert f"{name}.step: expected state for parameter 0 before the capture" in str(error), error
        else:
            raise AssertionError(f"{name}: the first step in a capture")
    graphed.step()
    eager.step()
    graph, _ = captured(graphed.step)
    for number in range(8):
        for p in parameters:
            torch.manual_seed(number)
            p.grad.copy_(torch.randn(4, 5, device="cuda"))
        graph.replay()
        eager.step()
        assert torch.equal(*parameters), name
plain = torch.optim.SGD([parameters[0]], lr=0.1)
graph, _ = captured(plain.step)  # no state
graph.replay()
