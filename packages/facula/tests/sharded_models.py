"""A GPT-like model and comparisons of divided models, for tests of several ranks."""

import copy

import facula
import facula.nn.functional as F
from facula import nn
from facula.distributed.fsdp import fully_shard
from facula.distributed.tensor import DTensor
from facula.nn.parallel import DistributedDataParallel as DDP
from facula.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.attention, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (part.view(*x.shape[:2], 2, -1).transpose(1, 2) for part in self.attention(self.norm(x)).chunk(3, -1))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(x)))


class GPT(nn.Module):
    """A model whose embedding is also its last layer, and whose dimensions are no multiples of 4."""

    def __init__(self, width=18, depth=3, checkpoints=None):
        super().__init__()
        self.embedding, self.norm = nn.Embedding(23, width), nn.LayerNorm(width)
        self.position = nn.Parameter(facula.randn(3, width) * 0.02)  # fewer rows than ranks
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.head = nn.Linear(width, 23, bias=False)
        self.head.weight = self.embedding.weight
        self.checkpoints = checkpoints

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position.repeat(3, 1)[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x) if self.checkpoints is None else checkpoint(block, x, use_reentrant=self.checkpoints)
        return self.head(self.norm(x))


def sharded(model, **options):
    """Divide each block, then the model."""
    for block in model.blocks:
        fully_shard(block, **options)
    return fully_shard(model, **options)


def loss_of(model, step, rank):
    tokens = facula.randint(0, 23, (2, 9), generator=facula.Generator().manual_seed(100 * step + rank))
    return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


def train(model, rank, kind="AdamW", steps=3, parts=1):
    optimizer = getattr(facula.optim, kind)(model.parameters(), lr=0.01)
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = sum(loss_of(model, parts * step + part, rank) for part in range(parts))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def whole(value):
    return value.full_tensor().detach() if isinstance(value, DTensor) else value.detach()


def differences(model, other):
    """Return the names of parameters and gradients that are not equal to those of another model, bit for bit."""
    found = []
    for (name, one), (same, two) in zip(model.named_parameters(), other.named_parameters(), strict=True):
        assert name == same
        found += [] if facula.equal(whole(one), whole(two)) else [name]
        if one.grad is None or two.grad is None:
            found += [] if one.grad is two.grad else [f"{name}.grad"]
        elif not facula.equal(whole(one.grad), whole(two.grad)):
            found.append(f"{name}.grad")
    return found


def near(model, other):
    """Return whether the gradients of two models are equal up to rounding."""
    pairs = zip(model.parameters(), other.parameters(), strict=True)
    return all(facula.allclose(whole(one.grad), whole(two.grad), rtol=1e-5, atol=1e-7) for one, two in pairs)


def pair(make=GPT, divide=sharded, before=lambda model: None):
    """Return a model under DistributedDataParallel, and the same one that is divided."""
    facula.manual_seed(0)
    model = make()
    before(model)
    return DDP(copy.deepcopy(model)), divide(model)
