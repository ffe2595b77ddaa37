"""DistributedDataParallel in several processes: its bits are those of one process that adds up gradients."""

import copy

import pytest
from rank_models import MODELS, Parts, batch, gradients, loss_of, run

import facula
from facula.nn.parallel import DistributedDataParallel as DDP


def add_gradients(model, sums, loss):
    model.zero_grad()
    loss.backward()
    own = [one.grad for one in model.parameters()]
    sums[:] = [total + one for total, one in zip(sums, own, strict=True)] if sums else own


def trained_alone(kind, size, steps, seed=0):
    """Train in one process: sum the gradients of a micro-batch of each rank, and divide once."""
    facula.manual_seed(seed)
    model = MODELS[kind]()
    optimizer = facula.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(steps):
        first, sums = None, []
        before = [one.clone() for one in model.buffers()]
        for rank in range(size):
            for one, former in zip(model.buffers(), before, strict=True):
                one.copy_(former)
            add_gradients(model, sums, loss_of(model, batch(kind, step, rank)))
            first = first or [one.clone() for one in model.buffers()]
        for one, own in zip(model.buffers(), first, strict=True):
            one.copy_(own)
        for parameter, total in zip(model.parameters(), sums, strict=True):
            parameter.grad = total / size
        optimizer.step()
    return model


def differences(model, other):
    """Return the names of parameters, gradients and buffers that are not equal, bit for bit."""
    found = []
    for (name, one), (_, two) in zip(model.named_parameters(), other.named_parameters(), strict=True):
        found += [name] if not facula.equal(one, two) else []
        found += [f"{name}.grad"] if not facula.equal(one.grad, two.grad) else []
    for (name, one), (_, two) in zip(model.named_buffers(), other.named_buffers(), strict=True):
        found += [name] if not facula.equal(one, two) else []
    return found


def check_bits(rank, kind, size, options, set_to_none):
    facula.manual_seed(rank)  # the parameters are those of rank 0
    model = DDP(MODELS[kind](), **options)
    optimizer = facula.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(3):
        optimizer.zero_grad(set_to_none=set_to_none)
        loss_of(model, batch(kind, step, rank)).backward()
        optimizer.step()
    kept = rank == 0 or not list(model.buffers())  # the last step's buffers of others are their own
    return differences(model.module, trained_alone(kind, size, 3)) if kept else []


OPTIONS = [{}, {"bucket_cap_mb": 0.001}, {"find_unused_parameters": True, "bucket_cap_mb": 0.002},
           {"static_graph": True, "gradient_as_bucket_view": True, "bucket_cap_mb": 0.002}]  # fmt: skip


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("options", OPTIONS, ids=["one bucket", "many", "unused", "static"])
def test_ranks_have_the_bits_of_one_process(kind, options):
    size = 4 if options == OPTIONS[1] else 2
    assert run(size, check_bits, kind, size, options, options != OPTIONS[2]) == [[]] * size


# ------------------------------------------------------------------------------------------------------- passes
def check_passes(rank):
    facula.manual_seed(0)
    plain = Parts()
    model = DDP(copy.deepcopy(plain), bucket_cap_mb=0.0001)
    x = [facula.full((2, 4), 1.0 + other) for other in range(2)]
    plain(x[0]).sum().backward()
    first = gradients(plain)
    plain(x[1]).sum().backward()
    both = [[value / 2 for value in one] for one in gradients(plain)]
    own = first if rank == 0 else [[2 * b - a for a, b in zip(one, two, strict=True)] for one, two in zip(first, both)]
    seen = {}
    model(x[rank])  # a forward pass without backward
    model(x[rank]).sum().backward()
    seen["one pass"] = gradients(model) == both
    model.zero_grad()
    model(x[rank]).sum().backward(inputs=list(model.parameters()))
    seen["inputs"] = gradients(model) == both
    model(x[rank]).sum().backward()
    seen["accumulated"] = gradients(model) == [[2 * value for value in one] for one in both]
    model.zero_grad()
    seen["none"] = all(one.grad is None for one in model.parameters())
    with model.no_sync():
        model(x[rank]).sum().backward()
        seen["local"] = facula.allclose(facula.tensor(gradients(model)), facula.tensor(own))
    model(x[rank]).sum().backward()
    seen["after no_sync"] = gradients(model) == [[2 * value for value in one] for one in both]
    model.zero_grad(set_to_none=False)
    loss = model(x[rank]).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    seen["retained"] = gradients(model) == [[2 * value for value in one] for one in both]
    model.zero_grad()
    (model(x[rank]).sum() + model(x[rank]).sum()).backward()
    seen["two forwards"] = gradients(model) == [[2 * value for value in one] for one in both]
    model.zero_grad()
    (slope,) = facula.autograd.grad(model(inputs := x[rank].clone().requires_grad_()).sum(), inputs, create_graph=True)
    (slope.square().sum() + model(x[rank]).sum()).backward()
    sums = []
    for other in x:
        inputs = other.clone().requires_grad_()
        (slope,) = facula.autograd.grad(plain(inputs).sum(), inputs, create_graph=True)
        add_gradients(plain, sums, slope.square().sum() + plain(other).sum())
    seen["double"] = gradients(model) == [(one.flatten()[:2] / 2).tolist() for one in sums]
    model.zero_grad()
    for one in model.parameters():  # a gradient of the program's own
        one.grad = facula.zeros_like(one)
    model(x[rank]).sum().backward()
    seen["set"] = gradients(model) == both
    model.module.parts[0].weight.grad = None
    with pytest.warns(UserWarning, match="create_graph"):
        model(x[rank]).sum().backward(create_graph=True)
    seen["recorded"] = model.module.parts[0].weight.grad.requires_grad and gradients(model)[0] == both[0]
    return [name for name, right in seen.items() if not right]


def test_passes_of_each_kind():
    assert run(2, check_passes) == [[], []]


def check_frozen(rank):
    model = Parts()
    model.parts[1].requires_grad_(False)
    model = DDP(model)
    model(facula.full((1, 4), float(rank))).sum().backward()
    return [one.grad is None for one in model.parameters()], model.module.parts[0].weight.grad.sum().item()


def test_frozen_parameters_have_no_gradient():
    found = run(2, check_frozen)
    assert found[0] == found[1] and found[0][0] == [False, False, True, True, False, False]
