"""CUDA graphs of tensors: captures, replays on other inputs, gradients, and graphs that share memory."""

import torch

assert torch.cuda.is_available()

torch.manual_seed(0)
static = torch.rand(6, 5, device="cuda")
weight = torch.rand(5, device="cuda", requires_grad=True)


def forward(x):
    hidden = torch.tanh(x * weight + 0.5)
    return torch.softmax(hidden, dim=1), (hidden.square().sum(dim=0) / x[0]).mean()


# As PyTorch's manual has it: run on a side stream first, then capture.
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(2):
        forward(static)[1].backward()
torch.cuda.current_stream().wait_stream(side)

weight.grad = None
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    probabilities, loss = forward(static)
    loss.backward()
    assert torch.cuda.is_current_stream_capturing()
assert not torch.cuda.is_current_stream_capturing()

for _ in range(3):
    x = torch.rand(6, 5, device="cuda")
    static.copy_(x)
    graph.replay()
    found = probabilities.clone(), loss.detach().clone(), weight.grad.clone()
    own = weight.detach().clone().requires_grad_()
    weight, kept = own, weight
    expected = forward(x)
    expected[1].backward()
    weight = kept
    for one, other in zip(found, (expected[0].detach(), expected[1].detach(), own.grad)):
        assert torch.equal(one, other), (one, other)

# A kernel that is first launched in a capture is compiled and loaded there.
first = torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    y = torch.expm1(static).sinh()
    z = torch.nn.functional.gelu(y)
second = torch.cuda.CUDAGraph()
with torch.cuda.graph(second, pool=first.pool()):
    w = torch.log1p(z).cosh()
static.fill_(0.25)
first.replay()
second.replay()
expected = torch.log1p(torch.nn.functional.gelu(torch.expm1(static).sinh())).cosh()
assert torch.equal(w, expected)

# Memory that is taken outside of captures is never that of a graph.
others = [torch.full((6, 5), -1.0, device="cuda") for _ in range(20)]
first.replay()
second.replay()
assert all(bool((other == -1).all()) for other in others)

# What waits for the device is refused by name, and the program goes on.
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        static.sum().item()
except RuntimeError as error:
    assert "capture" in str(error), error
else:
    raise AssertionError("a wait in a capture")
assert static.sum().item() == 7.5

# So is an operator without a kernel, which runs on the CPU.
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        torch.linalg.eigvals(static[:5])
except RuntimeError as error:
    assert "eigvals" in str(error) and "Call it before or after the capture" in str(error), error
else:
    raise AssertionError("a fallback in a capture")
