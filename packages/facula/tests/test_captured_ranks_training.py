"""Captured training steps of several processes, whose gradients are averaged."""

import pytest
from rank_models import MODELS, Parts, run

import facula
import facula.distributed as dist
import facula.nn.functional as F
from facula import nn
from facula.distributed.algorithms.ddp_comm_hooks import default_hooks
from facula.jit import CaptureError, capture
from facula.nn.parallel import DistributedDataParallel as DDP
from facula_errors.testing import raises


def dropped():
    return nn.Sequential(nn.Linear(12, 40), nn.Tanh(), nn.Dropout(0.3), nn.Linear(40, 30), nn.Tanh(), nn.Linear(30, 5))


def mixed():
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 5))


BUILDERS = {**MODELS, "dropped": dropped, "mixed": mixed}
SHAPES = {"images": (8, 3, 8, 8), "mixed": (8, 4)}


def made(kind, **options):
    facula.manual_seed(0)
    model = BUILDERS[kind]()
    if kind == "synchronized":
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    return DDP(model, **{"bucket_cap_mb": 0.002, **options})


def batch(kind, number, rank):
    facula.manual_seed(100 * number + rank)
    if kind in ("tied", "checkpoints"):
        return facula.randint(0, 23, (3, 6)), facula.randint(0, 23, (18,))
    return facula.randn(*SHAPES.get(kind, (8, 12))), facula.randint(0, 5, (8,))


def state_of(model):
    grads = [None if one.grad is None else one.grad.tolist() for one in model.parameters()]
    return [one.tolist() for one in model.state_dict().values()], grads


def trained(rank, kind, wrap):
    """Train 20 steps; return the losses and the final state."""
    model = made(kind)
    optimizer = facula.optim.AdamW(model.parameters(), lr=0.01)
    schedule = facula.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)

    @wrap
    def step(inputs, targets):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs).flatten(0, -2), targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        return loss.detach()

    losses = []
    for number in range(20):
        inputs = batch(kind, number, rank)
        dist.seed(number)
        losses.append(step(*inputs).item())
        schedule.step()
    return (losses, state_of(model)), getattr(step, "report", str)()


def check_training(rank, kind):
    eager, _ = trained(rank, kind, lambda function: function)
    captured, report = trained(rank, kind, capture(on_break="error"))
    assert eager == captured
    assert "replayed 18 times (1 checked)" in report, report
    return captured[1][1]


@pytest.mark.parametrize("kind", ["dropped", "images", "tied", "checkpoints"])
def test_captured_steps_have_the_bits_of_eager_steps(kind):
    first, second = run(2, check_training, kind)
    assert first == second


def check_synchronized(rank):
    BUILDERS["synchronized"] = mixed
    SHAPES["synchronized"] = (8, 4)
    check_training(rank, "synchronized")


def test_batch_norm_over_processes():
    run(3, check_synchronized)


# --------------------------------------------------------------------------------------- gradients of several batches
def accumulated(rank, kind, wrap):
    """Train with local passes inside of the function, in calls of it, or with evaluations between."""
    model = made("mixed")
    optimizer = facula.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    @wrap
    def both(inputs, targets):
        optimizer.zero_grad()
        with model.no_sync():
            F.cross_entropy(model(inputs[:4]), targets[:4]).backward()
        loss = F.cross_entropy(model(inputs[4:]), targets[4:])
        loss.backward()
        optimizer.step()
        return loss.detach()

    @wrap
    def one(inputs, targets):
        loss = F.cross_entropy(model(inputs), targets)
        loss.backward()
        return loss.detach()

    evaluate = wrap(lambda inputs, targets: F.cross_entropy(model(inputs), targets))
    found = []
    for number in range(8):
        pair = batch("mixed", number, rank)
        if kind == "calls":
            optimizer.zero_grad()
            for _ in range(3):
                with model.no_sync():
                    found.append(one(*pair).item())
            found.append(one(*pair).item())
            optimizer.step()
            continue
        found.append(both(*pair).item())
        with facula.no_grad():
            model.eval()
            found += [evaluate(*pair).item() for _ in range(2 if kind == "evaluation" else 0)]
            model.train()
    reports = [getattr(step, "report", str)() for step in (both, one, evaluate)]
    return (found, state_of(model)), "\n".join(reports)


def check_accumulation(rank, kind):
    eager, _ = accumulated(rank, kind, lambda function: function)
    captured, report = accumulated(rank, kind, capture(on_break="error"))
    assert eager == captured
    assert "replayed 7 times" in report or "replayed 6 times" in report, report


@pytest.mark.parametrize("kind", ["function", "calls", "evaluation"])
def test_local_passes_and_evaluation(kind):
    run(2, check_accumulation, kind)


# -------------------------------------------------------------------------------------------------- what is refused
OPTIONS = "find_unused_parameters", "static_graph", "shard_gradients"
REFUSED = {
    **dict.fromkeys(
        [*OPTIONS, "hook"], "has find_unused_parameters, static_graph, shard_gradients, a communication hook"
    ),
    "join": "DistributedDataParallel.join communicates with other processes",
    "outside": "call backward() inside the captured function",
}


def repeat(backward, model, pair):
    for _ in range(3):
        model.zero_grad()
        backward(F.cross_entropy(model(pair[0]), pair[1]))


def check_refusals(rank):
    for what, word in REFUSED.items():
        options = {what: True} if what in OPTIONS else {}
        model = made("mixed", **options)
        if what == "hook":
            model.register_comm_hook(None, default_hooks.bf16_compress_hook)

        def step(inputs, targets, model=model, is_inside=what != "outside"):
            loss = F.cross_entropy(model(inputs), targets)
            if is_inside:
                loss.backward()
            return loss

        pair = batch("mixed", 0, rank)
        with model.join(enable=what == "join"), raises(CaptureError, "capture", word):
            capture(step, on_break="error")(*pair)
            raise AssertionError(what)
    backward = capture(lambda loss: loss.backward())
    model, pair = made("mixed"), batch("mixed", 0, rank)
    with pytest.warns(UserWarning, match="runs eagerly"):
        repeat(backward, model, pair)
    return state_of(model)[1]


def test_what_is_not_captured_is_named():
    first, second = run(2, check_refusals)
    assert first == second


# -------------------------------------------------------------------------------------------------------- other ranks
def check_missing(rank):
    """Rank 1 lacks gradients in a pass, which rank 0 replays."""
    model = DDP(Parts(), bucket_cap_mb=0.0001)

    def step(inputs, which):
        model.zero_grad()
        model(inputs, which).sum().backward()

    captured = capture(step, check=0)
    for _ in range(4):
        captured(facula.ones(2, 4), (0, 1, 2))
    with pytest.raises(RuntimeError) as caught:
        (step if rank else captured)(facula.ones(2, 4), (0, 2) if rank else (0, 1, 2))
    dist.barrier()
    captured(facula.ones(2, 4), (0, 1, 2))
    return str(caught.value), captured.report(), [one.grad.tolist() for one in model.parameters()]


def test_missing_gradients_of_another_rank_are_named():
    (first, report, grads), (second, _, others) = run(2, check_missing)
    assert first == second and "parts.1.weight on rank 1; parts.1.bias on rank 1" in first
    assert report.count("replayed 3 times") == 1 and grads == others


def check_different_ranks(rank):
    """One rank captures again in most steps, or runs eagerly, while the other replays."""
    model, scale = made("mixed"), [1.0]
    optimizer = facula.optim.SGD(model.parameters(), lr=0.1)

    @capture(check=2 + rank)
    def step(inputs, targets):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs) * scale[0], targets)
        loss.backward()
        optimizer.step()
        return loss.detach()

    for number in range(12):
        scale[0] = 1.0 + number % 4 * rank
        (step.function if rank and number % 5 == 4 else step)(*batch("mixed", number, rank))
    return state_of(model)[1], step.report()


def test_ranks_replay_record_and_run_eagerly_independently():
    (first, report), (second, other) = run(2, check_different_ranks)
    assert first == second and "captured again" in other and "captured again" not in report
