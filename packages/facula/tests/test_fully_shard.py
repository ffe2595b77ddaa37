"""`fully_shard` on several ranks: the bits are those of DistributedDataParallel."""

import copy
import dataclasses
import math
import pickle

from rank_models import errors, run
from sharded_models import GPT, differences, loss_of, near, pair, sharded, train, whole

import facula
from facula import nn
from facula.distributed import checkpoint
from facula.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict
from facula.distributed.device_mesh import init_device_mesh
from facula.distributed.fsdp import (
    CPUOffloadPolicy,
    FSDPModule,
    MixedPrecisionPolicy,
    fully_shard,
    register_fsdp_forward_method,
)
from facula.distributed.tensor import DTensor, Replicate, Shard
from facula.nn.parallel import DistributedDataParallel as DDP
from facula_errors.testing import raises
from facula_multiprocessing.extend import arena_usage


def compare(rank, kind="AdamW", parts=1, **options):
    plain, model = pair(**options)
    losses = train(plain, rank, kind, parts=parts) == train(model, rank, kind, parts=parts)
    return differences(model, plain.module) + ([] if losses else ["losses"])


# ------------------------------------------------------------------------------------------------------------- bits
def freeze(model):
    model.blocks[0].up.requires_grad_(False)
    model.blocks[2].requires_grad_(False)
    model.embedding.requires_grad_(False)


class Unused(GPT):
    """A model with a parameter that no pass uses."""

    def __init__(self):
        super().__init__()
        self.blocks[1].more = nn.Linear(3, 3)


def second_dimension(parameter):
    return Shard(1) if parameter.ndim == 2 else None


CASES = {
    "adamw": {},
    "sgd": {"kind": "SGD"},
    "kept": {"divide": lambda model: sharded(model, reshard_after_forward=False)},
    "freed": {"divide": lambda model: sharded(model, reshard_after_forward=True)},
    "alone": {"divide": fully_shard},
    "offload": {"divide": lambda model: sharded(model, offload_policy=CPUOffloadPolicy())},
    "list": {"divide": lambda model: (fully_shard([model.blocks[0], model.blocks[1]]), fully_shard(model))[1]},
    "dimension": {"divide": lambda model: sharded(model, shard_placement_fn=second_dimension)},
    "frozen": {"before": freeze},
    "checkpoints": {"make": lambda: GPT(checkpoints=False)},
    "several passes": {"parts": 2},
}


def check_bits(rank, names):
    return {name: found for name in names if (found := compare(rank, **CASES[name]))}


def test_training_has_the_bits_of_ddp():
    assert run(2, check_bits, list(CASES)) == [{}] * 2
    assert run(4, check_bits, ["adamw", "sgd", "dimension"]) == [{}] * 4


def check_unused(rank):
    facula.manual_seed(0)
    model = Unused()
    plain = DDP(copy.deepcopy(model), find_unused_parameters=True)
    train(plain, rank), train(sharded(model), rank)
    reentrant = compare(rank, make=lambda: GPT(checkpoints=True))
    return differences(model, plain.module), model.blocks[1].more.weight.grad is None, reentrant


def test_unused_parameters_and_nested_passes():
    assert run(2, check_unused) == [([], True, [])] * 2


# ----------------------------------------------------------------------------------------------------------- passes
def check_passes(rank):
    plain, model = pair()
    seen = {}
    with plain.no_sync():
        loss_of(plain, 0, rank).backward()
    loss_of(plain, 1, rank).backward()
    model.set_requires_gradient_sync(False)
    loss_of(model, 0, rank).backward()
    seen["no gradients yet"] = all(one.grad is None for one in model.parameters())
    model.set_requires_gradient_sync(True)
    loss_of(model, 1, rank).backward()
    seen["accumulated before the reduction"] = differences(model, plain.module) == []
    loss_of(plain, 2, rank).backward()
    loss_of(model, 2, rank).backward()
    seen["accumulated after it"] = near(model, plain.module)
    model.zero_grad()
    plain.zero_grad()
    with facula.no_grad():
        seen["no_grad"] = loss_of(model, 3, rank).item() == loss_of(plain, 3, rank).item()
    seen["parts after no_grad"] = all(isinstance(one, DTensor) for one in model.parameters())
    first, second = loss_of(model, 4, rank), loss_of(model, 5, rank)
    second.backward()
    first.backward()
    loss_of(plain, 5, rank).backward()
    loss_of(plain, 4, rank).backward()
    seen["two passes, the second first"] = near(model, plain.module)
    loss = loss_of(model, 6, rank)
    model.zero_grad()
    loss.backward(retain_graph=True)
    once = [whole(one.grad).clone() for one in model.parameters()]
    loss.backward()
    seen["retained"] = all(
        facula.allclose(whole(one.grad), 2 * former) for one, former in zip(model.parameters(), once, strict=True)
    )
    return [name for name, right in seen.items() if not right]


def test_passes_of_each_kind():
    assert run(2, check_passes)[0] == []


def check_prefetching(rank):
    def divide(model):
        sharded(model)
        model.set_modules_to_forward_prefetch([model.blocks[0], model.blocks[1]])
        model.blocks[2].set_modules_to_backward_prefetch([model.blocks[1], model.blocks[0]])
        model.set_is_last_backward(True)
        return model

    found = compare(rank, divide=divide)
    plain, model = pair()
    model.set_reshard_after_backward(False)
    model.set_reshard_after_forward(False, recurse=False)
    found += ["kept"] if train(model, rank) != train(plain, rank) else []
    plain, model = pair()
    model.set_gradient_divide_factor(1.0)
    for block in model.blocks:
        block.set_gradient_divide_factor(1.0)
    loss_of(model, 0, rank).backward()
    loss_of(plain, 0, rank).backward()
    twos = zip(model.parameters(), plain.module.parameters(), strict=True)
    return found + ["divided"] * (not all(facula.equal(whole(a.grad), 2 * b.grad) for a, b in twos))


def test_settings_of_modules():
    assert run(2, check_prefetching) == [[], []]


# ------------------------------------------------------------------------------------------- two dimensions, and dtypes
def check_hybrid(rank):
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    facula.manual_seed(0)
    model = GPT()
    plain = DDP(copy.deepcopy(model))
    sharded(model, mesh=mesh)
    loss_of(plain, 0, rank).backward()
    loss_of(model, 0, rank).backward()
    weight = model.blocks[0].up.weight
    return near(model, plain.module), weight.placements == (Replicate(), Shard(0)), tuple(weight.to_local().shape)


def test_replicas_of_parts():
    assert run(4, check_hybrid) == [(True, True, (36, 18))] * 4


def check_precision(rank):
    facula.manual_seed(0)
    model, seen = GPT(), []
    model.blocks[1].up.register_forward_hook(lambda module, args, out: seen.append((args[0].dtype, out.dtype)))
    exact = copy.deepcopy(model)
    policy = MixedPrecisionPolicy(facula.bfloat16, facula.float32)
    for block in model.blocks:
        fully_shard(block, mp_policy=policy)
    fully_shard(model, mp_policy=dataclasses.replace(policy, output_dtype=facula.float32))
    loss = loss_of(model, 0, rank)
    loss.backward()
    exact_loss = loss_of(exact, 0, rank)
    ends = [one.grad.dtype for one in model.parameters()] == [facula.float32] * len(list(model.parameters()))
    kinds = seen[0] == (facula.bfloat16, facula.bfloat16), loss.dtype == facula.float32, ends
    half = fully_shard(copy.deepcopy(exact), mp_policy=MixedPrecisionPolicy(facula.bfloat16))
    loss_of(half, 0, rank).backward()
    near = facula.allclose(whole(half.head.weight.grad), whole(model.head.weight.grad), rtol=0.1, atol=0.02)
    return *kinds, abs(loss.item() - exact_loss.item()) < 0.05, near


def test_mixed_precision():
    assert run(2, check_precision) == [(True,) * 5] * 2


# -------------------------------------------------------------------------------------------------- states and memory
def check_states(rank):
    facula.manual_seed(0)
    model = sharded(GPT())
    train(model, rank)
    state = model.state_dict()
    seen = {"distributed": all(isinstance(one, DTensor) for one in state.values())}
    facula.manual_seed(1)
    with facula.device("meta"):
        empty = GPT()
    sharded(empty)
    with raises(RuntimeError, "fully_shard", "is on the meta device", "to_empty(device='cpu')"):
        loss_of(empty, 0, rank)
    empty.to_empty(device="cpu")
    empty.load_state_dict(state)
    seen["loaded"] = loss_of(empty, 9, rank).item() == loss_of(model, 9, rank).item()
    train(empty, rank, "SGD"), train(model, rank, "SGD")
    seen["trained"] = differences(empty, model) == []
    other = sharded(GPT())
    other.load_state_dict(state, assign=True)
    seen["assigned"] = loss_of(other, 9, rank).item() == loss_of(model, 9, rank).item()
    return [name for name, right in seen.items() if not right]


def test_states():
    assert run(4, check_states) == [[]] * 4


def check_saving(rank, folder):
    facula.manual_seed(0)
    model = sharded(GPT())
    optimizer = facula.optim.AdamW(model.parameters(), lr=0.01)
    loss_of(model, 3, rank).backward()
    grads = [whole(one.grad) for one in model.parameters()]
    wanted = math.sqrt(sum(one.double().square().sum().item() for one in grads))
    norm = whole(nn.utils.clip_grad_norm_(model.parameters(), 0.1)).item()
    optimizer.step()
    state = {"model": model.state_dict(), "optimizer": get_optimizer_state_dict(model, optimizer)}
    checkpoint.save(state, checkpoint_id=folder)
    return abs(norm - wanted) < 1e-5 * wanted, [whole(one).tolist() for one in model.parameters()]


def check_loading(rank, folder):
    facula.manual_seed(2)
    model = sharded(GPT())
    optimizer = facula.optim.AdamW(model.parameters(), lr=0.01)
    loss_of(model, 3, 0).backward()
    optimizer.step()
    state = {"model": model.state_dict(), "optimizer": get_optimizer_state_dict(model, optimizer)}
    checkpoint.load(state, checkpoint_id=folder)
    model.load_state_dict(state["model"])
    set_optimizer_state_dict(model, optimizer, state["optimizer"])
    moments = optimizer.state[model.head.weight]["exp_avg"]
    assert isinstance(moments, DTensor) and whole(moments).abs().sum() > 0
    return [whole(one).tolist() for one in model.parameters()]


def test_clipping_and_checkpoints_of_other_numbers_of_ranks(tmp_path):
    saved = run(4, check_saving, str(tmp_path))
    assert saved[0][0] and saved[0] == saved[3]
    assert run(2, check_loading, str(tmp_path)) == [saved[0][1]] * 2


def used():
    return facula.cpu.memory_allocated() + arena_usage()[0]


def check_memory(rank):
    facula.manual_seed(0)
    model = GPT(width=128, depth=8)
    total, block = (sum(one.nbytes for one in part.parameters()) for part in (model, model.blocks[0]))
    before = used() - total
    sharded(model)
    divided = used() - before
    optimizer = facula.optim.AdamW(model.parameters(), lr=0.01)
    peaks = []
    for one in model.blocks:
        one.register_full_backward_hook(lambda *_: peaks.append(used()))
    for step in range(3):
        optimizer.zero_grad()
        loss_of(model, step, rank).backward()
        optimizer.step()
    return divided, used() - before, max(peaks) - before, total, block


def test_memory_is_divided():
    for divided, after, peak, total, block in run(4, check_memory):
        assert divided < 1.2 * total / 4  # parameters, in blocks of shared memory that are rounded up
        assert after < 1.1 * 4 * total / 4  # with gradients and two tensors of state
        assert peak < 1.1 * 4 * total / 4 + 2 * block  # also a block: whole parameters and gradients


# ------------------------------------------------------------------------------------------------------------- errors
def check_refusals(rank):
    model = GPT()
    with raises(ValueError, "fully_shard", "expected modules with a forward", "ModuleList"):
        fully_shard(model.blocks)
    fully_shard(model.embedding)
    with raises(RuntimeError, "fully_shard", "head.weight also belongs", "one call"):
        fully_shard(model)
    with raises(RuntimeError, "fully_shard", "not divided before"):
        fully_shard(model.embedding)
    with raises(NotImplementedError, "fully_shard", "reshard_after_forward", "got 2"):
        fully_shard(model.norm, reshard_after_forward=2)
    with raises(TypeError, "fully_shard", "mesh", "init_device_mesh"):
        fully_shard(model.norm, mesh="cpu")
    with raises(RuntimeError, "fully_shard", "copy it before"):
        copy.deepcopy(fully_shard(nn.Linear(2, 2)))
    table = fully_shard(nn.Embedding(4, 2, padding_idx=3))
    table.reset_parameters()
    assert not table.weight.full_tensor()[3].any()
    with raises(RuntimeError, "fully_shard", "use its state_dict()"):
        pickle.dumps(fully_shard(nn.Linear(2, 2)))
    with raises(NotImplementedError, "DistributedDataParallel", "use fully_shard alone", value="DTensors"):
        DDP(fully_shard(nn.Linear(2, 2)))
    with raises(NotImplementedError, "ZeroRedundancyOptimizer", value="DTensors"):
        facula.distributed.optim.ZeroRedundancyOptimizer(
            fully_shard(nn.Linear(2, 2)).parameters(), facula.optim.SGD, lr=0.1
        )
    scalar = nn.Linear(2, 2)
    scalar.scale = nn.Parameter(facula.tensor(1.0))
    with raises(ValueError, "fully_shard", "scale is a scalar"):
        fully_shard(scalar)
    ignoring = fully_shard(scalar, ignored_params={scalar.scale})
    return type(ignoring.scale).__name__, isinstance(ignoring, FSDPModule), type(ignoring).__name__


def test_refusals():
    assert run(2, check_refusals) == [("Parameter", True, "FSDPLinear")] * 2


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x, which=0):
        return (self.first, self.second)[which](x)

    def both(self, x):
        return self.second(self.first(x))


def check_differing(rank):
    model = fully_shard(Two())
    model(facula.ones(2, 4), which=rank).sum().backward()


def check_methods(rank):
    facula.manual_seed(0)
    model = Two()
    x = facula.ones(2, 4)
    wanted = model.both(x)
    fully_shard(model)
    register_fsdp_forward_method(model, "both")
    found = model.both(x)
    found.sum().backward()
    graded = model.first.weight.grad is not None
    handle = model.unshard(async_op=True)
    handle.wait()
    shown = type(model.first.weight).__name__, tuple(model.first.weight.shape)
    model.reshard()
    kept = []
    model.second.register_forward_pre_hook(lambda module, args: kept.append(module.weight))
    with facula.no_grad():
        model.both(x)
    with raises(RuntimeError, "...", "meta"):
        (kept[0] + 1).tolist()
    captured = facula.jit.capture(model)
    twice = [captured(x).sum().item() for _ in range(3)]
    return facula.equal(found, wanted), graded, shown, isinstance(model.first.weight, DTensor), len(set(twice))


def test_methods_and_captures():
    assert run(2, check_methods) == [(True, True, ("Parameter", (4, 4)), True, 1)] * 2


def check_changed(rank):
    model = sharded(GPT())
    loss = loss_of(model, 7, rank)
    with facula.no_grad():
        model.blocks[1].up.weight.mul_(2)
    loss.backward()


def test_parameters_that_change_before_the_backward_pass_are_an_error():
    for message in errors(2, check_changed):
        assert "backward of linear: expected" in message and "changed in place" in message


def test_ranks_with_other_gradients_are_named():
    for message in errors(2, check_differing):
        assert "MismatchError" in message and "fully_shard" in message and "rank 1 calls" in message
