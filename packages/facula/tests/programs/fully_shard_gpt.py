"""A language model that is divided with FSDP2, from the meta device to a checkpoint. Written for PyTorch."""

import argparse
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, Shard


@dataclass
class ModelArgs:
    n_layers: int = 3
    vocab_size: int = 31
    max_seq_len: int = 16
    dim: int = 32
    n_heads: int = 4
    dropout_p: float = 0.0


class Attention(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.n_heads = args.n_heads
        self.wq = nn.Linear(args.dim, args.dim, bias=False)
        self.wk = nn.Linear(args.dim, args.dim, bias=False)
        self.wv = nn.Linear(args.dim, args.dim, bias=False)
        self.wo = nn.Linear(args.dim, args.dim, bias=False)

    def forward(self, x):
        bsz, seq_len, dim = x.size()
        queries, keys, values = (
            w(x).view(bsz, seq_len, self.n_heads, -1).transpose(1, 2) for w in (self.wq, self.wk, self.wv)
        )
        output = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.wo(output.transpose(1, 2).contiguous().view(bsz, seq_len, dim))


class TransformerBlock(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.attention_norm = nn.LayerNorm(args.dim)
        self.attention = Attention(args)
        self.ffn_norm = nn.LayerNorm(args.dim)
        self.feed_forward = nn.Sequential(
            nn.Linear(args.dim, 4 * args.dim), nn.GELU(), nn.Linear(4 * args.dim, args.dim), nn.Dropout(args.dropout_p)
        )

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.ffn_norm(x))


class Transformer(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.tok_embeddings = nn.Embedding(args.vocab_size, args.dim)
        self.pos_embeddings = nn.Embedding(args.max_seq_len, args.dim)
        self.layers = nn.ModuleList([TransformerBlock(args) for _ in range(args.n_layers)])
        self.norm = nn.LayerNorm(args.dim)
        self.output = nn.Linear(args.dim, args.vocab_size, bias=False)
        self.output.weight = self.tok_embeddings.weight

    def forward(self, tokens):
        positions = torch.arange(tokens.size(1), device=tokens.device)
        h = self.tok_embeddings(tokens) + self.pos_embeddings(positions)
        for layer in self.layers:
            h = layer(h)
        return self.output(self.norm(h)).float()

    def reset_parameters(self):
        for module in self.modules():
            if module is not self and hasattr(module, "reset_parameters"):
                module.reset_parameters()


def set_prefetching(model, distance):
    for i, layer in enumerate(model.layers):
        layer.set_modules_to_forward_prefetch(list(model.layers[i + 1 : i + 1 + distance]))
        layer.set_modules_to_backward_prefetch(list(model.layers[max(i - distance, 0) : i])[::-1])


def build(args, mixed_precision):
    with torch.device("meta"):
        model = Transformer(ModelArgs())
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("dp",))
    fsdp_kwargs = {"mesh": mesh}
    if mixed_precision:
        fsdp_kwargs["mp_policy"] = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model.layers:
        fully_shard(layer, **fsdp_kwargs)
    fully_shard(model, **fsdp_kwargs)
    assert isinstance(model, Transformer) and isinstance(model, FSDPModule)
    for param in model.parameters():
        assert isinstance(param, DTensor) and param.placements == (Shard(0),) and param.device.type == "meta"
    if args.explicit_prefetching:
        set_prefetching(model, 2)
    model.to_empty(device="cpu")
    torch.manual_seed(0)
    model.reset_parameters()
    optim = torch.optim.AdamW(model.parameters(), lr=1e-2)
    return model, optim


def train(model, optim, steps, batches, accumulation=2):
    losses = []
    for _ in range(steps):
        for micro in range(accumulation):
            x = torch.arange(8).repeat(4, 2)[:, micro : micro + 9] + torch.randint(0, 2, (4, 1), generator=batches)
            model.set_requires_gradient_sync(micro == accumulation - 1)
            loss = F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
            (loss / accumulation).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optim.step()
        optim.zero_grad()
        losses.append(loss.detach())
    total = torch.stack(losses)
    dist.all_reduce(total, op=dist.ReduceOp.AVG)
    return total.tolist()


def main(args):
    dist.init_process_group(backend="gloo")
    rank = dist.get_rank()
    folder = os.path.join(os.environ["FOLDER"], "checkpoint")
    batches = torch.Generator().manual_seed(rank)
    model, optim = build(args, args.mixed_precision)
    losses = train(model, optim, 20, batches)
    model_state, optim_state = get_state_dict(model, optim)
    dcp.save({"model": model_state, "optim": optim_state}, checkpoint_id=folder)
    follow = train(model, optim, 3, torch.Generator().manual_seed(10 + rank))

    other, other_optim = build(args, args.mixed_precision)
    model_state, optim_state = get_state_dict(other, other_optim)
    state = {"model": model_state, "optim": optim_state}
    dcp.load(state, checkpoint_id=folder)
    set_state_dict(other, other_optim, model_state_dict=state["model"], optim_state_dict=state["optim"])
    resumed = train(other, other_optim, 3, torch.Generator().manual_seed(10 + rank))
    learned = losses[-1] < 0.5 * losses[0]
    print(f"rank {rank}: learned {learned}, resumed {resumed == follow}")
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="FSDP2 example")
    parser.add_argument("--explicit-prefetching", action="store_true", default=False)
    parser.add_argument("--mixed-precision", action="store_true", default=False)
    main(parser.parse_args())
