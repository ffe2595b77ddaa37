"""`FullyShardedDataParallel`: the older interface of `fully_shard`."""

import functools

from rank_models import run
from sharded_models import GPT, Block, differences, loss_of, near, train, whole

import facula
from facula import nn
from facula.distributed.device_mesh import init_device_mesh
from facula.distributed.fsdp import CPUOffload, FullStateDictConfig, MixedPrecision, ShardingStrategy, StateDictType
from facula.distributed.fsdp import FullyShardedDataParallel as FSDP
from facula.distributed.fsdp.wrap import (
    CustomPolicy,
    ModuleWrapPolicy,
    always_wrap_policy,
    enable_wrap,
    lambda_auto_wrap_policy,
    size_based_auto_wrap_policy,
    transformer_auto_wrap_policy,
    wrap,
)
from facula.distributed.tensor import DTensor
from facula.nn.parallel import DistributedDataParallel as DDP
from facula_errors.testing import raises

POLICIES = {
    "classes": ModuleWrapPolicy({Block}),
    "transformer": functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block}),
    "lambda": functools.partial(lambda_auto_wrap_policy, lambda_fn=lambda one: isinstance(one, nn.Linear)),
    "size": functools.partial(size_based_auto_wrap_policy, min_num_params=1000),
    "custom": CustomPolicy(lambda one: {"sharding_strategy": ShardingStrategy.SHARD_GRAD_OP}
                           if isinstance(one, Block) else False),
    "always": always_wrap_policy,
    "none": None,
}  # fmt: skip


class Untied(GPT):
    """A model of which a policy may choose any part."""

    def __init__(self):
        super().__init__()
        self.head.weight = nn.Parameter(self.embedding.weight.detach().clone())


def pair(make=GPT, **options):
    facula.manual_seed(0)
    plain = DDP(make())
    facula.manual_seed(0)
    return plain, FSDP(make(), **options)


def check_policies(rank):
    found, counts = {}, {}
    for name, policy in POLICIES.items():
        plain, model = pair(Untied, auto_wrap_policy=policy, cpu_offload=CPUOffload(True), use_orig_params=True)
        counts[name] = len(FSDP.fsdp_modules(model))
        if train(plain, rank) != train(model, rank) or differences(model, plain.module):
            found[name] = differences(model, plain.module)
    return found, counts


def test_policies_choose_modules_and_keep_the_bits_of_ddp():
    counts = {"classes": 4, "transformer": 4, "lambda": 14, "size": 10, "custom": 4, "always": 19, "none": 1}
    assert run(2, check_policies) == [({}, counts)] * 2


def check_strategies(rank):
    seen = {}
    for strategy in (ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy.NO_SHARD):
        plain, model = pair(auto_wrap_policy=ModuleWrapPolicy({Block}), sharding_strategy=strategy)
        with model.no_sync(), plain.no_sync():
            loss_of(plain, 8, rank).backward()
            loss_of(model, 8, rank).backward()
        loss_of(plain, 9, rank).backward()
        loss_of(model, 9, rank).backward()
        seen[strategy.name] = differences(model, plain.module) == []
    seen["parts"] = model.head.weight.to_local().shape == (23, 18)  # NO_SHARD
    mesh = init_device_mesh("cpu", (1, 2))
    plain, model = pair(sharding_strategy=ShardingStrategy.HYBRID_SHARD, device_mesh=mesh)
    loss_of(plain, 0, rank).backward()
    loss_of(model, 0, rank).backward()
    seen["hybrid"] = near(model, plain.module)
    facula.manual_seed(rank)
    model = FSDP(GPT(), sync_module_states=True, mixed_precision=MixedPrecision(facula.bfloat16, facula.float32))
    facula.manual_seed(0)
    seen["copied"] = facula.equal(whole(model.head.weight), GPT().head.weight)
    loss_of(model, 0, rank).backward()
    with enable_wrap(wrapper_cls=FSDP, sharding_strategy=ShardingStrategy.FULL_SHARD):
        seen["wrapped"] = isinstance(wrap(nn.Linear(4, 4)), FSDP)
    seen["not wrapped"] = not isinstance(wrap(nn.Linear(4, 4)), FSDP)
    with facula.device("meta"):
        empty = nn.Sequential(nn.Linear(4, 4))
    facula.manual_seed(0)
    seen["initialized"] = FSDP(empty, device_id=facula.device("cpu"))(facula.ones(1, 4)).shape == (1, 4)
    with raises(ValueError, "FullyShardedDataParallel", "device_mesh of two dimensions", "HYBRID_SHARD"):
        FSDP(nn.Linear(2, 2), sharding_strategy=ShardingStrategy.HYBRID_SHARD)
    with raises(NotImplementedError, "FullyShardedDataParallel", "tuple of process groups"):
        FSDP(nn.Linear(2, 2), (None, None))
    return [name for name, right in seen.items() if not right]


def test_strategies():
    assert run(2, check_strategies) == [[], []]


def check_states(rank):
    plain, model = pair(auto_wrap_policy=ModuleWrapPolicy({Block}))
    optimizer = facula.optim.AdamW(model.parameters(), lr=0.01)
    loss_of(model, 0, rank).backward()
    optimizer.step()
    state = model.state_dict()
    seen = {"whole": not any(isinstance(one, DTensor) for one in state.values()), "module": model.module is model}
    seen["names"] = list(state) == list(plain.module.state_dict())
    moments = FSDP.optim_state_dict(model, optimizer)
    seen["moments"] = moments["state"]["head.weight" if "head.weight" in moments["state"] else "embedding.weight"][
        "exp_avg"
    ].shape == (23, 18)
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        seen["sharded"] = all(isinstance(one, DTensor) for one in model.state_dict().values())
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True)):
        seen["rank 0"] = (len(model.state_dict()) > 0) is (rank == 0)
    with raises(NotImplementedError, "set_state_dict_type", "LOCAL_STATE_DICT"):
        FSDP.set_state_dict_type(model, StateDictType.LOCAL_STATE_DICT)
    facula.manual_seed(5)
    other = FSDP(GPT())
    other.load_state_dict(state)
    resumed = facula.optim.AdamW(other.parameters(), lr=0.01)
    resumed.load_state_dict(FSDP.optim_state_dict_to_load(other, resumed, moments))
    for one, stepper in ((model, optimizer), (other, resumed)):
        stepper.zero_grad()
        loss_of(one, 1, rank).backward()
        stepper.step()
    seen["resumed"] = differences(other, model) == []
    with FSDP.summon_full_params(model):
        seen["summoned"] = type(model.head.weight) is nn.Parameter and model.head.weight.shape == (23, 18)
        with facula.no_grad():
            model.head.weight.fill_(2.0)
    seen["written"] = whole(model.head.weight).tolist() == [[2.0] * 18] * 23
    return [name for name, right in seen.items() if not right]


def test_states():
    assert run(2, check_states) == [[], []]
