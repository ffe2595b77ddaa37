"""Captures in files move between the CPU and devices, with the bits of the function."""

import io
import json
import zipfile

import torch
from torch import nn
from torch.jit import capture, load, save

import facula_cuda
from facula_jit import GraphFileError, Loaded, SaveError


def saved(captured, **options):
    file = io.BytesIO()
    save(captured, file, **options)
    return file.getvalue()


def loaded(contents, place=None) -> Loaded:
    return load(io.BytesIO(contents), map_location=place)


def refused(contents, place, kind, *words):
    try:
        loaded(contents, place)
    except kind as error:
        assert all(word in str(error) for word in words), error
    else:
        raise AssertionError(words)


def changed(contents, change):
    """Return the file with another graph.json."""
    source, made = zipfile.ZipFile(io.BytesIO(contents)), io.BytesIO()
    with zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            held = source.read(name)
            if name == "graph.json":
                graph = json.loads(held)
                change(graph)
                held = json.dumps(graph).encode()
            target.writestr(name, held)
    return made.getvalue()


def renamed(contents, device):
    """Return the file with another name of its device."""
    return changed(contents, lambda graph: graph.update(device=device))


def training(device):
    """Return a training step with dropout and the state of an optimizer, and its model."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 16), nn.LayerNorm(16), nn.GELU(), nn.Dropout(0.5), nn.Linear(16, 4)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 0.01)

    def step(x, y):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return capture(step), model


def moving(x, y):
    """Return results of operators whose plans differ: several copies, a fill, joined parts, an operator of the CPU."""
    padded = nn.functional.pad(x, (1, 2))
    return (
        x.roll((1, 2), (0, 1)),
        x.flip(0),
        padded.roll(3, 1),
        torch.cat([x, y, padded[:, :2]], 1),
        (x * y + 1).relu() - y,
    )


x, y = torch.randn(8, 10), torch.randint(0, 4, (8,))
for source in ("cpu", "cuda", "cuda:1"):
    step, model = training(source)
    for _ in range(6):
        step(x.to(source), y.to(source))
    contents = saved(step)
    state = {name: value.cpu() for name, value in model.state_dict().items()}
    for target in ("cpu", "cuda:0", "cuda:1"):
        again = loaded(contents, {source: target, str(torch.device(source, 0) if source == "cuda" else source): target})
        own = {name: value for name, value in again.state_dict().items() if "exp_avg" not in name}
        assert all(value.device == torch.device(target) for value in again.state_dict().values())
        for name, value in state.items():
            assert torch.equal(own[f"model.{name}"].cpu(), value), (source, target, name)
        # The file's step, moved, computes what a step on the target computes from the same state and generator.
        fresh = loaded(contents, "cpu")
        losses = []
        for graph, place in ((fresh, "cpu"), (again, target)):
            torch.manual_seed(1)
            graph.options[0].update(lr=0.02)
            losses.append([graph(x.to(place), y.to(place)).item() for _ in range(4)])
        assert all(abs(a - b) < 1e-5 for a, b in zip(*losses, strict=True)), (source, target, losses)
        second = loaded(saved(again))  # where it was
        assert all(value.device == torch.device(target) for value in second.state_dict().values())
        torch.manual_seed(2)
        expected = again(x.to(target), y.to(target))
        torch.manual_seed(2)
        assert torch.equal(second(x.to(target), y.to(target)), expected)

    # A loaded step on the same device continues like the capture.
    again = loaded(contents)
    for _ in range(3):
        torch.manual_seed(3)
        expected = step(x.to(source), y.to(source))
        torch.manual_seed(3)
        assert torch.equal(again(x.to(source), y.to(source)), expected)

    captured, other = capture(moving), torch.randn(8, 10)
    for _ in range(4):
        expected = captured(x.to(source), other.to(source))
    for target in ("cpu", "cuda", "cuda:1"):
        again = loaded(saved(captured), target)
        for _ in range(2):
            for found, like in zip(again(x.to(target), other.to(target)), expected, strict=True):
                assert found.device == torch.device(target, 0 if target == "cuda" else None)
                assert torch.equal(found.cpu(), like.cpu()), (source, target)
            again = loaded(saved(again), target)

# One graph for all sizes of a batch.
scaled, weight = capture(lambda x: (x @ weight).relu().roll(1, 0)), torch.randn(10, 3, device="cuda")
for size in (4, 4, 5, 5, 6, 6, 7, 7):
    scaled(torch.randn(size, 10, device="cuda"))
contents = saved(scaled, batch=True)
for size in (1, 2, 9):
    rows = torch.randn(size, 10)
    assert torch.allclose(loaded(contents, "cpu")(rows), (rows @ weight.cpu()).relu().roll(1, 0))
    assert torch.equal(loaded(contents)(rows.cuda()), (rows.cuda() @ weight).relu().roll(1, 0))

# An operator without a kernel on the device runs on the CPU.
inverse, matrix = capture(torch.linalg.inv), torch.randn(4, 4) + 4 * torch.eye(4)
for _ in range(3):
    inverse(matrix)
before = sum(facula_cuda.fallbacks().values())
assert torch.equal(loaded(saved(inverse), "cuda")(matrix.cuda()).cpu(), torch.linalg.inv(matrix))
assert sum(facula_cuda.fallbacks().values()) > before

# Graphs that a device cannot run, and parts of launches that are missing.
branching = capture(lambda x: torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,)))
optimizer = torch.optim.Adafactor([leaf := torch.ones(3, 4, requires_grad=True)])


def follow():
    optimizer.zero_grad()
    (leaf**2).sum().backward()
    optimizer.step()


following = capture(follow)
for _ in range(6):
    branching(matrix), following()
for captured, words in ((branching, "branch"), (following, "adafactor_step")):
    refused(saved(captured), "cuda", RuntimeError, words, "map_location='cpu'")
    loaded(saved(captured), "cpu")
half = torch.ones(3, 4, dtype=torch.bfloat16, requires_grad=True)


def overlapping():
    half.grad = None
    half.unfold(1, 2, 1).sum().backward()


windows = capture(overlapping)
for _ in range(3):
    windows()


def without_sums(graph):
    launches = graph["graphs"][0]["graph"]["launches"]
    parts = [at for at, launch in enumerate(launches) if "part" in launch]
    assert [launches[at]["part"] for at in parts] == [0, 1, 2]
    launches[parts[1]] = launches[parts[2]] = launches[parts[0]]


refused(changed(saved(windows), without_sums), "cuda", GraphFileError, "parts of a launch are missing")

# Names of devices, in arguments and in files.
refused(contents, "cuda:7", RuntimeError, "map_location='cuda:7'", "map_location='cpu'")
refused(contents, "meta", RuntimeError, "map_location='meta'", "map_location='cpu'")
refused(contents, 3, TypeError, "map_location", "int")
refused(renamed(contents, "cuda:9"), None, RuntimeError, "saved on 'cuda:9'", "map_location='cpu'")
refused(renamed(contents, "xpu:0"), None, RuntimeError, "saved on 'xpu:0'", "map_location='cpu'")
assert torch.equal(loaded(renamed(contents, "xpu:0"), "cuda")(rows.cuda()), loaded(contents)(rows.cuda()))
for name in ("cpu", "meta", "cuda:-1", "cuda:99999999", "CUDA", "../x", "os.system", "", 3, None, ["cuda"], "cuda:٣"):
    refused(renamed(contents, name), None, GraphFileError, "its device is")
try:
    saved(scaled, run=True)
except SaveError as error:
    assert "run=True" in str(error)
else:
    raise AssertionError("a program for the CPU")
try:
    loaded(contents)(rows)
except RuntimeError as error:
    assert "'cuda:0'" in str(error)
else:
    raise AssertionError("an argument on the CPU")
