"""DistributedDataParallel in several processes: unused parameters, hooks, buffers, errors, uneven inputs, copies."""

import copy
import io
import pickle

import pytest
from rank_models import Parts, batch, errors, gradients, loss_of, mlp, run

import facula
import facula.distributed as dist
from facula import nn
from facula.distributed.algorithms.ddp_comm_hooks import default_hooks
from facula.distributed.algorithms.join import Join
from facula.nn.parallel import DistributedDataParallel as DDP
from facula_checkpoint import CheckpointError
from facula_errors.testing import raises


# ---------------------------------------------------------------------------------------------- unused parameters
def check_unused_error(rank, which):
    model = DDP(Parts(), bucket_cap_mb=0.0001)
    for _ in range(2):
        with pytest.raises(RuntimeError) as error:
            model(facula.ones(1, 4), which[rank]).sum().backward()
    return str(error.value)


@pytest.mark.parametrize(
    ("which", "words"),
    [
        (((0, 1, 2), (0, 2), (0, 1, 2)), "parts.1.weight on rank 1; parts.1.bias on rank 1; use all"),
        (((2,), (0, 2), (0, 2)), "parts.0.weight on rank 0; parts.0.bias on rank 0; parts.1.weight on ranks 0, 1, 2;"),
        (((0, 1, 2), (1, 2), (0, 1)), "parts.0.weight on rank 1; parts.0.bias on rank 1; parts.2.weight on rank 2;"),
    ],
)
def test_unused_parameters_are_named_on_all_ranks(which, words):
    for message in run(3, check_unused_error, which):
        assert message.startswith("DistributedDataParallel: expected a gradient of each parameter") and words in message


def check_unused(rank, options):
    model = DDP(Parts(4), bucket_cap_mb=0.0001, **options)
    found = []
    for _ in range(3):
        model.zero_grad()
        model(facula.ones(1, 4), (0, 1) if rank else (0, 2)).sum().backward()
        found.append(gradients(model))
    return found


@pytest.mark.parametrize("options", [{"find_unused_parameters": True}, {"static_graph": True}])
def test_unused_parameters_count_as_zeros(options):
    first, second = run(2, check_unused, options)
    assert first == second
    for step in first:
        assert None not in step[:6] and step[6:] == [None, None]  # no rank uses the last one


def check_kept(rank):
    model = DDP(Parts(), find_unused_parameters=True)
    with model.no_sync():
        model(facula.full((1, 4), 1.0 + rank)).sum().backward()
    before = model.module.parts[2].weight.grad.clone()
    model(facula.ones(1, 4), (0, 1)).sum().backward()
    return facula.equal(model.module.parts[2].weight.grad, before)


def test_gradients_that_no_rank_computes_are_not_changed():
    assert run(2, check_kept) == [True, True]


# ---------------------------------------------------------------------------------------------------- communication
def check_hook(rank, name):
    facula.manual_seed(0)
    model = DDP(mlp())
    reference = copy.deepcopy(model.module)
    model.register_comm_hook(None, getattr(default_hooks, name))
    with pytest.raises(RuntimeError, match="a model without a hook"):
        model.register_comm_hook(None, print)
    loss_of(model, batch("mlp", 0, rank)).backward()
    expected = []
    dtype = {"bf16_compress_hook": facula.bfloat16, "fp16_compress_hook": facula.float16}.get(name, facula.float32)
    for other in range(3):
        reference.zero_grad()
        loss_of(reference, batch("mlp", 0, other)).backward()
        expected.append([one.grad.to(dtype).float() for one in reference.parameters()])
    means = [((a + b + c) / 3).to(dtype).float() for a, b, c in zip(*expected, strict=True)]
    return [facula.equal(one.grad, mean) for one, mean in zip(model.parameters(), means, strict=True)]


@pytest.mark.parametrize("name", ["allreduce_hook", "bf16_compress_hook", "fp16_compress_hook"])
def test_communication_hooks(name):
    assert run(3, check_hook, name) == [[True] * 6] * 3


def check_own_hook(rank):
    model, seen = DDP(Parts(), bucket_cap_mb=1e-6), []

    def halved(state, bucket):
        state.append((bucket.index(), bucket.is_last(), len(bucket.parameters()), bucket.gradients()[0].shape))
        future = facula.futures.Future()
        future.set_result(bucket.buffer() / 2)
        return future.then(lambda done: [done.value()])

    model.register_comm_hook(seen, halved)
    model(facula.ones(1, 4)).sum().backward()
    return seen, model.module.parts[2].bias.grad.tolist()


def check_hook_of_a_number(rank):
    model = DDP(Parts())
    model.register_comm_hook(None, lambda state, bucket: 3)
    model(facula.ones(1, 4)).sum().backward()


def test_a_hook_of_the_program():
    facula.manual_seed(0)
    plain = Parts()
    plain(facula.ones(1, 4)).sum().backward()
    facula.manual_seed(0)
    assert all("got int" in one for one in errors(2, check_hook_of_a_number))
    for seen, grad in run(2, check_own_hook):
        assert [one[0] for one in seen] == list(range(6)) and [one[1] for one in seen] == [False] * 5 + [True]
        assert len(grad) == 4


def check_buffers(rank, broadcast):
    model = DDP(nn.BatchNorm1d(2), broadcast_buffers=broadcast)
    for step in range(2):
        model(facula.full((3, 2), 1.0 + rank + step) * facula.tensor([[1.0], [2.0], [3.0]])).sum().backward()
    model.eval()
    with facula.no_grad():
        model(facula.ones(1, 2))
    return model.module.running_mean.tolist(), model.module.num_batches_tracked.item()


def test_buffers_are_those_of_the_first_rank():
    first, second = run(2, check_buffers, True)
    assert first == second and first[1] == 2
    first, second = run(2, check_buffers, False)
    assert first[0] != second[0]


# ----------------------------------------------------------------------------------------------------------- errors
def check_models(rank, kind):
    model = {
        "shape": lambda: nn.Linear(2, 3 + rank),
        "dtype": lambda: nn.Linear(2, 3, dtype=[None, facula.float64][rank]),
        "name": lambda: nn.Sequential(nn.Linear(2, 3), *([nn.Linear(3, 3)] * rank)),
        "frozen": lambda: nn.Linear(2, 3),
    }[kind]()
    if kind == "frozen" and rank:
        model.bias.requires_grad_(False)
    DDP(model)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("shape", "weight is float32, shape (3, 2), requires a gradient on rank 0, float32, shape (4, 2), requires a"),
        ("dtype", "on rank 0, float64, shape (3, 2), requires a gradient on rank 1"),
        ("name", "1.weight is missing on rank 0, float32, shape (3, 3), requires a gradient on rank 1"),
        ("frozen", "bias is float32, shape (3,), requires a gradient on rank 0, float32, shape (3,) on rank 1"),
    ],
)
def test_models_that_differ_are_named(kind, words):
    for message in errors(2, check_models, kind):
        assert "DistributedDataParallel: expected the same model on all ranks" in message and words in message


def check_changed(rank, change):
    model = DDP(nn.Linear(4, 4, bias=False))
    if change == "dtype":
        model.double()
    else:
        model.module.weight.data = facula.ones(1, 4)
    model(facula.ones(1, 4, dtype=model.module.weight.dtype)).sum().backward()


@pytest.mark.parametrize(
    ("change", "words"), [("dtype", "it is float64, shape"), ("shape", "it is float32, shape (1, 4)")]
)
def test_parameters_that_changed_after_wrapping_are_refused(change, words):
    for message in errors(2, check_changed, change):
        assert "as when the model was wrapped; " in message and words in message


def check_ignored(rank):
    module = nn.Linear(2, 1)
    DDP._set_params_and_buffers_to_ignore_for_model(module, ["weight"])
    model = DDP(module)
    (model(facula.ones(1, 2)) * rank).sum().backward()
    return gradients(model)


def test_ignored_parameters_keep_their_own_gradients():
    assert run(2, check_ignored) == [[[0.0, 0.0], [0.5]], [[1.0, 1.0], [0.5]]]


def check_direct_calls(rank):
    """One rank calls the wrapped module itself; then come passes that average, also twice over one graph."""
    model = DDP(mlp(), bucket_cap_mb=0.0001)
    data = batch("mlp", 0, rank)
    found = []
    for step in range(3):
        if rank == 0 and step:
            loss_of(model.module, data).backward()
            found.append(gradients(model))
        model.zero_grad()
        loss = loss_of(model, data)
        other = loss_of(model, data)
        loss.backward(retain_graph=step == 2)
        if step == 2:
            loss.backward()
        other.backward()
        found.append(gradients(model))
    return found


def test_passes_of_the_wrapped_module_are_local():
    first, second = run(2, check_direct_calls)
    assert len(first) == 5 and len(second) == 3
    assert [first[0], first[2], first[4]] == second
    assert first[1] != first[0] and first[3] != first[0]


def check_failure(rank, where):
    model = DDP(Parts(), bucket_cap_mb=0.0001)

    def fail(*_):
        raise ValueError("a bad gradient")

    if rank == 1:
        if where == "comm hook":
            model.register_comm_hook(None, fail)
        elif where == "hook":
            model.module.parts[0].weight.register_hook(fail)
        else:
            model.module.parts[1].weight.register_post_accumulate_grad_hook(fail)
    elif where == "comm hook":
        model.register_comm_hook(None, default_hooks.allreduce_hook)
    x = facula.ones(1, 4)
    model(x).sum().backward()


@pytest.mark.parametrize("where", ["hook", "comm hook", "after"])
def test_an_error_in_a_hook_ends_all_ranks(where):
    first, second = errors(2, check_failure, where)
    assert second == "ValueError: a bad gradient"
    assert first.startswith("RankError: ") and "rank 1 failed in a backward pass at " in first
    assert "test_ranks_training.py" in first and "ValueError: a bad gradient" in first


# ------------------------------------------------------------------------------------------------------------- join
def check_join(rank, options):
    facula.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), bucket_cap_mb=0.00001)
    optimizer = facula.optim.SGD(model.parameters(), lr=0.1)
    with model.join(**options):
        for step in range(2 + 2 * rank):
            optimizer.zero_grad()
            model(facula.full((2, 2), 1.0 + step) * facula.tensor([[1.0], [2.0]])).square().sum().backward()
            optimizer.step()
    return [one.tolist() for one in model.state_dict().values()], model.module[0].weight.grad.tolist()


@pytest.mark.parametrize("by_all", [True, False])
def test_ranks_with_fewer_batches_take_part_with_zeros(by_all):
    first, second, third = run(3, check_join, {"divide_by_initial_world_size": by_all})
    assert first[0] == second[0] == third[0] and first[0][-1] == 6


def test_join_can_raise_on_all_ranks():
    messages = errors(2, check_join, {"throw_on_early_termination": True})
    assert "rank 0 has no inputs left" in messages[0] and "Join: a rank has no inputs left" in messages[1]


def check_general_join(rank):
    models = [DDP(nn.Linear(1, 1)) for _ in range(2)]
    count = 0
    with Join(models):
        for _ in range(1 + rank):
            for model in models:
                model(facula.ones(1, 1)).sum().backward()
            count += 1
    return count, [one.weight.item() for one in (models[0].module, models[1].module)]


def test_a_join_of_two_models():
    first, second = run(2, check_general_join)
    assert (first[0], second[0]) == (1, 2) and first[1] == second[1]


# ----------------------------------------------------------------------------------------------------------- copies
def check_copies(rank):
    model = DDP(mlp())
    found = []
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        other.zero_grad()
        loss_of(other, batch("mlp", 0, rank)).backward()
        found.append([one.grad.tolist() for one in other.parameters()])
    loss_of(model, batch("mlp", 0, rank)).backward()
    return [*found, [one.grad.tolist() for one in model.parameters()]]


def check_files(rank, folder):
    model = DDP(nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)), static_graph=True, bucket_cap_mb=1)
    model.eval()
    path = f"{folder}/{rank}"
    facula.save({"model": model}, path)
    other = facula.load(path)["model"]
    options = ("static_graph", "bucket_cap_mb", "find_unused_parameters", "shard_gradients", "training")
    assert type(other) is DDP and [getattr(other, one) for one in options] == [True, 1, False, False, False]
    for one in (model, other):
        one.train()
        one(facula.full((2, 4), 1.0 + rank)).sum().backward()
    return path, gradients(model) == gradients(other), gradients(other)


def test_files_of_models(tmp_path):
    found = run(2, check_files, str(tmp_path))
    assert found[0][1] and found[1][1] and found[0][2] == found[1][2]
    needed = "expected a process group, since the file has a DistributedDataParallel"
    with raises(CheckpointError, found[0][0], needed):
        facula.load(found[0][0])
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        assert isinstance(facula.load(found[0][0])["model"], DDP)
    finally:
        dist.destroy_process_group()


def test_copies_average_gradients():
    first, second = run(2, check_copies)
    assert first == second and first[0] == first[1] == first[2]


def check_saves_of_parts(rank):
    mesh = dist.init_device_mesh("cpu", (2,))
    part = dist.tensor.distribute_tensor(facula.ones(2), mesh, [dist.tensor.Shard(0)])
    with raises(TypeError, "save", "save its full_tensor()", value="a DTensor"):
        facula.save({"part": part}, io.BytesIO())


def test_saves_of_distributed_tensors_are_refused():
    run(2, check_saves_of_parts)


def check_subgroups(rank):
    group = [dist.new_group([0, 2]), dist.new_group([1, 3])][rank % 2]
    model = DDP(nn.Linear(1, 1, bias=False), process_group=group)
    model(facula.full((1, 1), float(rank))).sum().backward()
    return model.module.weight.grad.item()


def test_a_model_of_a_group():
    assert run(4, check_subgroups) == [1.0, 2.0, 1.0, 2.0]
