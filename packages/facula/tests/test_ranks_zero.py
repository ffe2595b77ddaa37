"""ZeroRedundancyOptimizer: the bits of DistributedDataParallel and the optimizer itself, with a part of the state."""

import copy
import pickle

import pytest
from rank_models import MODELS, Parts, batch, errors, loss_of, mlp, run

import facula
import facula.distributed as dist
import facula.distributed.checkpoint as dcp
from facula import nn, optim
from facula.distributed.algorithms import Join
from facula.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict
from facula.distributed.optim import DistributedOptimizer, PostLocalSGDOptimizer, ZeroRedundancyOptimizer
from facula.nn.parallel import DistributedDataParallel as DDP
from facula_errors.testing import raises
from facula_optim.extend import ELEMENTWISE

OPTIONS = {
    "Adadelta": {"lr": 0.5}, "Adafactor": {}, "Adagrad": {}, "Adam": {"amsgrad": True}, "AdamW": {}, "Adamax": {},
    "ASGD": {"t0": 1}, "NAdam": {}, "RAdam": {}, "RMSprop": {"momentum": 0.9, "centered": True}, "Rprop": {},
    "SGD": {"momentum": 0.9, "dampening": 0.1},
}  # fmt: skip


def pair(kind, name, **options):
    """Return a model with a plain optimizer, and one whose state and perhaps gradients are divided."""
    kept = {"lr": 0.01, **OPTIONS[name]}
    facula.manual_seed(0)
    model, cls = MODELS[kind](), getattr(optim, name)
    plain, sharded = DDP(copy.deepcopy(model)), DDP(model, **options)
    return (plain, cls(plain.parameters(), **kept)), (
        sharded,
        ZeroRedundancyOptimizer(sharded.parameters(), cls, **kept),
    )


def step(model, optimizer, kind, number, rank):
    optimizer.zero_grad()
    loss_of(model, batch(kind, number, rank)).backward()
    optimizer.step()


def are_equal(one, other):
    return all(facula.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def check_bits(rank, options):
    found = []
    for kind, names in (("tied", ["AdamW"]), ("images", ["SGD"]), ("mlp", OPTIONS)):
        for name in names:
            both = pair(kind, name, bucket_cap_mb=0.003, **options)
            for number in range(3):
                for model, optimizer in both:
                    step(model, optimizer, kind, number, rank)
            found += [] if are_equal(both[0][0], both[1][0]) else [(kind, name)]
    return found


def check_both_bits(rank):
    return check_bits(rank, {}) + check_bits(rank, {"shard_gradients": True})


@pytest.mark.parametrize("options", [{}, {"shard_gradients": True}], ids=["state", "gradients"])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_bits_are_those_of_the_optimizer_itself(size, options):
    assert {cls.__name__ for cls in ELEMENTWISE} <= OPTIONS.keys()
    assert run(size, check_bits, options) == [[]] * size


@pytest.mark.skipif(not dist.is_mpi_available(), reason="mpi4py and an MPI library are not installed")
@pytest.mark.parametrize(("size", "engine"), [(2, {"backend": "mpi"}), (3, {"machines": 2})], ids=str)
def test_bits_with_engines_between_machines(size, engine):
    assert run(size, check_both_bits, **engine) == [[]] * size


def check_groups(rank, options):
    """Muon and AdamW on one model, several groups, schedules, layers that are added, memory in other orders."""
    facula.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 40), nn.LayerNorm(40), nn.Linear(40, 30), nn.Linear(30, 5))
    model[2].weight = nn.Parameter(facula.randn(40, 30).t())  # not contiguous
    model.register_parameter("scale", nn.Parameter(facula.tensor(1.0)))
    model.register_parameter("frozen", nn.Parameter(facula.ones(3), requires_grad=False))
    runs = []
    for one, wraps in ((copy.deepcopy(model), False), (model, True)):
        ddp = DDP(one, **(options if wraps else {}))
        make = (lambda cls, groups, **kept: ZeroRedundancyOptimizer(groups, cls, **kept)) if wraps else \
            (lambda cls, groups, **kept: cls(groups, **kept))  # fmt: skip
        matrices = [p for p in one.parameters() if p.ndim == 2 and p.requires_grad]
        others = [p for p in one.parameters() if p.ndim < 2 and p.requires_grad]
        muon = make(optim.Muon, matrices, lr=0.02)
        adam = make(optim.AdamW, [{"params": others[:2]}, {"params": others[2:4], "lr": 0.1}], lr=0.01)
        adam.add_param_group({"params": [*others[4:], one.frozen], "weight_decay": 0.5})
        schedules = [optim.lr_scheduler.OneCycleLR(adam, 0.1, total_steps=8), optim.lr_scheduler.StepLR(muon, 2)]
        for number in range(4):
            for optimizer in (muon, adam):
                optimizer.zero_grad()
            x, y = batch("mlp", number, rank)
            loss = nn.functional.cross_entropy(ddp(x) * one.scale, y)
            loss.backward()
            adam.step(closure=None)
            muon.step()
            for schedule in schedules:
                schedule.step()
        runs.append((one, adam, muon))
    (one, adam, muon), (other, zero, _) = runs
    rates = [[group["lr"] for group in optimizer.param_groups] for optimizer in (adam, zero)]
    return are_equal(one, other), rates[0] == rates[1]


@pytest.mark.parametrize("options", [{}, {"find_unused_parameters": True, "shard_gradients": True}])
def test_groups_schedules_and_matrices(options):
    assert run(3, check_groups, options) == [(True, True)] * 3


def check_memory(rank):
    """Return the bytes that a step leaves: with a plain optimizer, a divided state, and divided gradients."""
    found = []
    for sharded, options in ((False, {}), (True, {}), (True, {"shard_gradients": True})):
        facula.manual_seed(0)
        model = DDP(nn.Sequential(nn.Linear(512, 1024), nn.Linear(1024, 512)), **options)
        cls = optim.AdamW
        optimizer = ZeroRedundancyOptimizer(model.parameters(), cls) if sharded else cls(model.parameters())
        before = facula.cpu.memory_allocated()
        for _ in range(2):
            optimizer.zero_grad()
            model(facula.ones(1, 512)).sum().backward()
            optimizer.step()
        found.append(facula.cpu.memory_allocated() - before)
        shards = getattr(model.reducer, "_buckets", ())
        found.append(sum(bucket.shard.nbytes for bucket in shards))
    return sum(p.nbytes for p in model.parameters()), found


def test_each_rank_has_a_part_of_state_and_gradients():
    """Sizes are rounded by the allocator. Whole gradients lie in shared memory, which is not counted."""
    for whole, (plain, _, state, _, both, shard) in run(4, check_memory):
        assert 2 * whole <= plain <= 2.1 * whole
        assert whole / 2 * 0.99 <= state <= whole / 2 * 1.3
        assert whole / 4 * 0.99 <= shard <= whole / 4 * 1.01 and both - state <= whole / 2


# ------------------------------------------------------------------------------------------------------- state dicts
def plain_state(cls, model, rank):
    """Return the state of a plain optimizer that has made the same steps."""
    ddp = DDP(copy.deepcopy(model))
    optimizer = cls(ddp.parameters(), lr=0.01)
    for number in range(2):
        step(ddp, optimizer, "mlp", number, rank)
    return ddp, optimizer


def same(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return facula.equal(one, other) if isinstance(one, facula.Tensor) else one == other


def check_state(rank, name, folder):
    cls, seen = getattr(optim, name), {}
    facula.manual_seed(0)
    model = mlp()
    plain, reference = plain_state(cls, model, rank)
    sharded = DDP(copy.deepcopy(model))
    optimizer = ZeroRedundancyOptimizer(sharded.parameters(), cls, lr=0.01)
    for number in range(2):
        step(sharded, optimizer, "mlp", number, rank)
    optimizer.consolidate_state_dict(to=1)
    if rank == 1:
        seen["consolidated"] = same(optimizer.state_dict(), reference.state_dict())
        alone = cls(mlp().parameters(), lr=0.5)
        alone.load_state_dict(optimizer.state_dict())
        seen["alone"] = same(alone.state_dict(), reference.state_dict())
    with raises(RuntimeError, "ZeroRedundancyOptimizer.state_dict", "expected the state of all processes; call"):
        step(sharded, optimizer, "mlp", 2, rank)
        optimizer.state_dict()
    again = DDP(copy.deepcopy(plain.module))
    other = ZeroRedundancyOptimizer(again.parameters(), cls, lr=0.5)
    other.load_state_dict(reference.state_dict())
    for _ in range(2):
        for ddp, one in ((plain, reference), (again, other)):
            step(ddp, one, "mlp", 2, rank)
    seen["reverse"] = are_equal(plain, again)
    dcp.save({"model": again.module, "optimizer": other}, checkpoint_id=f"{folder}/objects")
    dcp.save({"optimizer": get_optimizer_state_dict(again, other)}, checkpoint_id=f"{folder}/names")
    for options in ({}, {"shard_gradients": True}):
        fresh = DDP(mlp(), **options)
        resumed = ZeroRedundancyOptimizer(fresh.parameters(), cls, lr=0.5)
        for _ in range(2):  # without a state, and with one
            dcp.load({"model": fresh.module, "optimizer": resumed}, checkpoint_id=f"{folder}/objects")
            seen[str(options)] = are_equal(fresh, again)
            step(fresh, resumed, "mlp", 5, rank)
        dcp.load({"model": fresh.module, "optimizer": resumed}, checkpoint_id=f"{folder}/objects")
        dist.resumable(optimizer=resumed)
        rows = pickle.loads(pickle.dumps(resumed.sharded_state_dict()))  # as `resumable` keeps them
        resumed.zero_grad()
        step(fresh, resumed, "mlp", 6, rank)
        resumed.load_state_dict(rows)
        resumed.consolidate_state_dict()
        other.consolidate_state_dict()
        if rank == 0:
            seen["resumed"] = same(resumed.state_dict(), other.state_dict())
    return seen, reference.state_dict() if rank == 0 else None


def check_other_number(rank, name, folder, expected):
    cls, seen = getattr(optim, name), {}
    model = DDP(mlp())
    optimizer = ZeroRedundancyOptimizer(model.parameters(), cls, lr=0.5)
    dcp.load({"optimizer": optimizer}, checkpoint_id=f"{folder}/objects")
    optimizer.consolidate_state_dict()
    if rank == 0:
        seen["whole"] = same(optimizer.state_dict(), expected)
    plain = cls(mlp().parameters(), lr=0.5)
    state = {"optimizer": {}}
    dcp.load(state, checkpoint_id=f"{folder}/objects")
    plain.load_state_dict(state["optimizer"])
    seen["plain"] = same(plain.state_dict(), expected)
    again = ZeroRedundancyOptimizer(model.parameters(), cls, lr=0.5)
    named = {"optimizer": {}}
    dcp.load(named, checkpoint_id=f"{folder}/names")
    set_optimizer_state_dict(model, again, named["optimizer"])
    again.consolidate_state_dict()
    if rank == 0:
        seen["named"] = same(again.state_dict(), expected)
    return seen


@pytest.mark.parametrize("name", ["AdamW", "Adafactor"])
def test_states_are_those_of_the_optimizer_itself(tmp_path, name):
    found = run(3, check_state, name, str(tmp_path))
    assert all(value for seen, _ in found for value in seen.values()) and len(found[1][0]) == 5
    for size in (1, 2, 4):
        for seen in run(size, check_other_number, name, str(tmp_path), found[0][1]):
            assert all(seen.values())


# ------------------------------------------------------------------------------------------------------------ passes
def check_passes(rank):
    """Gradients of several passes, without averages, with one factor, and unused ones."""
    seen = {}
    for case in ("no_sync", "accumulated", "clipped", "infinite", "kept"):
        (plain, reference), (model, optimizer) = pair("mlp", "SGD", shard_gradients=True, bucket_cap_mb=0.003)
        for number in range(2):
            for ddp, one in ((plain, reference), (model, optimizer)):
                one.zero_grad()
                if case == "no_sync":
                    with ddp.no_sync():
                        loss_of(ddp, batch("mlp", 7, rank)).backward()
                if case in ("accumulated", "kept"):
                    loss_of(ddp, batch("mlp", 8, rank)).backward()
                if case == "kept":
                    ddp.zero_grad()  # not the optimizer's
                loss_of(ddp, batch("mlp", number, rank)).backward()
                norms = []
                if case in ("clipped", "infinite"):
                    norms.append(ddp.clip_grad_norm_(0.01, 2.0 if case == "clipped" else float("inf")))
                one.step()
        close = all(
            facula.allclose(a, b, atol=1e-7) for a, b in zip(plain.parameters(), model.parameters(), strict=True)
        )
        seen[case] = close if case in ("accumulated", "clipped", "infinite") else are_equal(plain, model)
    norm = model.clip_grad_norm_(1.0, error_if_nonfinite=True)
    for call in (
        lambda: nn.utils.clip_grad_norm_(model.parameters(), 1.0),
        lambda: model.module[0].weight.grad * 2,
        lambda: nn.utils.clip_grad_value_(model.parameters(), 1.0),
        lambda: optim.Muon([model.module[0].weight]).step(),
        lambda: model.zero_grad(set_to_none=False),
    ):
        with pytest.raises(RuntimeError, match=r"this gradient is divided among the processes, because of shard_grad"):
            call()
    with raises(ValueError, "sgd_step", "got float32 (40, 12) on 'meta'"):
        optim.SGD(model.parameters(), lr=0.1).step()
    assert "divided" in repr(model.module[0].weight.grad) and copy.deepcopy(model.module)[0].weight.grad is None
    return seen, float(norm)


def test_passes_with_divided_gradients():
    found = run(2, check_passes)
    assert all(value for seen, _ in found for value in seen.values())
    assert found[0][1] == found[1][1] > 0


def check_unused(rank):
    facula.manual_seed(0)
    models = [Parts(4)]
    models.append(copy.deepcopy(models[0]))
    plain, model = DDP(models[0], find_unused_parameters=True), DDP(
        models[1], find_unused_parameters=True, shard_gradients=True, bucket_cap_mb=0.0001)  # fmt: skip
    optimizers = optim.Adam(plain.parameters()), ZeroRedundancyOptimizer(model.parameters(), optim.Adam)
    for _ in range(3):
        for ddp, optimizer in zip((plain, model), optimizers, strict=True):
            optimizer.zero_grad()
            ddp(facula.ones(1, 4), (0, 1) if rank else (0, 2)).sum().backward()
            optimizer.step()
    return are_equal(plain, model), [p.grad is None for p in model.parameters()] == [False] * 6 + [True] * 2


def test_unused_parameters():
    assert run(2, check_unused) == [(True, True)] * 2


def check_join(rank, options):
    (plain, reference), (model, optimizer) = pair("mlp", "AdamW", **options)
    with Join([plain]):
        for number in range(2 + rank):
            step(plain, reference, "mlp", number, rank)
    with Join([model, optimizer]):
        for number in range(2 + rank):
            step(model, optimizer, "mlp", number, rank)
    return are_equal(plain, model)


@pytest.mark.parametrize("options", [{}, {"shard_gradients": True}])
def test_uneven_inputs(options):
    assert run(3, check_join, options) == [True] * 3


def check_errors(rank):
    model = mlp()
    parameters = list(model.parameters())
    with raises(NotImplementedError, "ZeroRedundancyOptimizer", "LBFGS has a state of all parameters together"):
        ZeroRedundancyOptimizer(parameters, optim.LBFGS)
    with raises(NotImplementedError, "ZeroRedundancyOptimizer", "expected overlap_with_ddp=False"):
        ZeroRedundancyOptimizer(parameters, optim.Adam, overlap_with_ddp=True)
    with raises(TypeError, "ZeroRedundancyOptimizer", "expected optimizer_class to be a class of optimizers"):
        ZeroRedundancyOptimizer(parameters, "Adam")
    with raises(RuntimeError, "ZeroRedundancyOptimizer", "parameter 0 is"):
        ZeroRedundancyOptimizer(parameters if rank else parameters[1:], optim.Adam)
    with raises(ValueError, "Adam", "expected lr of 0 or more"):
        ZeroRedundancyOptimizer(parameters, optim.Adam, lr=-1)
    optimizer = ZeroRedundancyOptimizer(parameters, optim.Adam, parameters_as_bucket_view=True)
    with raises(ValueError, "consolidate_state_dict", "expected to be a rank from 0 to 1; got 2"):
        optimizer.consolidate_state_dict(to=2)
    with raises(RuntimeError, "ZeroRedundancyOptimizer", "cannot be pickled"):
        copy.deepcopy(optimizer)
    with raises(ValueError, "ZeroRedundancyOptimizer.load_state_dict", "2 parameter groups"):
        optimizer.load_state_dict({"state": {}, "param_groups": [{"params": []}] * 2})
    ddp = DDP(model, shard_gradients=True)
    with raises(RuntimeError, "register_comm_hook", "expected a model without shard_gradients"):
        ddp.register_comm_hook(None, print)
    with raises(ValueError, "DistributedDataParallel", "expected virtual_ranks or shard_gradients"):
        DDP(model, shard_gradients=True, virtual_ranks=2)
    first = ZeroRedundancyOptimizer(ddp.parameters(), optim.Adam)
    with raises(ValueError, "ZeroRedundancyOptimizer", "in one optimizer; 0.weight is in another one"):
        ZeroRedundancyOptimizer([model[0].weight], optim.Adam)
    step(ddp, first, "mlp", 0, rank)
    with raises(RuntimeError, "DistributedDataParallel", "in a pass without averages"), ddp.no_sync():
        loss_of(ddp, batch("mlp", 0, rank)).backward()
    with raises(ValueError, "clip_grad_norm_", "expected norm_type above 0"):
        ddp.clip_grad_norm_(1.0, 0)
    for kind in (DistributedOptimizer, PostLocalSGDOptimizer):
        with raises(NotImplementedError, f"distributed.optim.{kind.__name__}", "PyTorch has it"):
            kind(parameters)
    return dist.get_rank()


def test_errors():
    assert run(2, check_errors) == [0, 1]


def check_missing(rank):
    model = DDP(mlp(), shard_gradients=True)
    loss_of(model, batch("mlp", 0, rank)).backward()


def test_gradients_without_an_optimizer_are_an_error():
    for message in errors(2, check_missing):
        assert "expected a ZeroRedundancyOptimizer with " in message or "failed in a backward pass" in message
