"""Runs operators on the CPU and on a simulated CUDA device; prints which results differ, and the fallbacks, as JSON."""

import json

import facula
from facula import nn
from facula_cuda import fallbacks
from facula_cuda.testing import simulate

F = facula.nn.functional
simulate()
x = facula.randn(3, 40)
attend = nn.functional.scaled_dot_product_attention


def orthogonal(device):
    """Return orthogonal weights drawn by the device's generator, and its next number."""
    generator = facula.Generator(device).manual_seed(1)
    weights = nn.init.orthogonal_(facula.empty(4, 3, device=device), generator=generator)
    return weights, facula.rand(2, device=device, generator=generator)


def temporal(log_probs, targets):
    return F.ctc_loss(log_probs, targets, [6, 5, 4, 6], [2, 1, 2, 0])


def layer(kind, x, lengths=None):
    """Run a recurrent layer in both directions on sequences of three steps."""
    facula.manual_seed(1)
    module, x = getattr(nn, kind)(5, 6, bidirectional=True).to(x.device), x.view(3, 8, 5)
    if lengths is None:
        return module(x)[0]
    return module(nn.utils.rnn.pack_padded_sequence(x, lengths))[0].data


#: Calls that need kernels alone. This list only grows.
CALLS = {
    "cumsum": lambda x: x.cumsum(1),
    "cumprod": lambda x: x.cumprod(0),
    "cummax": lambda x: x.cummax(1),
    "cummin": lambda x: x.cummin(0),
    "logcumsumexp": lambda x: x.logcumsumexp(1),
    "attention": lambda x: attend(x.view(3, 2, 4, 5), x.view(3, 2, 4, 5), x.view(3, 2, 4, 5), is_causal=True),
    "LSTM": lambda x: layer("LSTM", x),
    "RNN": lambda x: layer("RNN", x),
    "packed GRU": lambda x: layer("GRU", x, [3, 3, 3, 2, 2, 1, 1, 1]),
    "CTC": lambda x: temporal(x.view(6, 4, 5).log_softmax(2), facula.arange(8, device=x.device).view(4, 2) % 4 + 1),
    "grouped attention": lambda x: attend(x.view(1, 6, 4, 5), *[x[0].view(1, 2, 4, 5)] * 2, enable_gqa=True),
    "orthogonal_": lambda x: orthogonal(x.device),
    "conv1d": lambda x: F.conv1d(x, x[:2, :30].reshape(4, 3, 5), padding=2),
    "conv2d": lambda x: F.conv2d(x.view(1, 6, 4, 5), x[:, :36].reshape(4, 3, 3, 3), x[0, :4], 2, 1, groups=2),
    "conv3d": lambda x: F.conv3d(x.view(1, 2, 3, 4, 5), x[:, :16].reshape(3, 2, 2, 2, 2), dilation=(1, 2, 1)),
    "conv_transpose2d": lambda x: F.conv_transpose2d(x.view(1, 6, 4, 5), x[0, :24].view(6, 1, 2, 2), None, 2),
    "interpolate": lambda x: F.interpolate(x.view(2, 3, 4, 5), scale_factor=2, mode="bicubic"),
    "pad": lambda x: F.pad(x.view(2, 3, 4, 5), (1, 2, -1, 3), value=0.5),
    "reflected pad": lambda x: F.pad(x.view(2, 3, 4, 5), (1, 2, 3, 0), "reflect"),
    "grid_sample": lambda x: F.grid_sample(x.view(2, 3, 4, 5), x[:, :16].reshape(2, 3, 4, 2)),
    "unfold": lambda x: F.unfold(x.view(2, 3, 4, 5), 3, padding=1, stride=2),
    "fold": lambda x: F.fold(x[:, :36].reshape(1, 12, 9), 4, 2),
    "windows": lambda x: x.unfold(1, 6, 2),
    "diag_embed": lambda x: x.diag_embed(1),
    "block_diag": lambda x: facula.block_diag(x, x[:, :2]),
    "max_pool2d": lambda x: F.max_pool2d(x.view(2, 3, 4, 5), 3, 2, 1),
    "avg_pool2d": lambda x: F.avg_pool2d(x.view(2, 3, 4, 5), 3, 2, 1),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x.view(2, 3, 4, 5), 3),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x.view(2, 3, 4, 5), 1),
    "max_pool3d": lambda x: F.max_pool3d(x.view(2, 3, 4, 5), 2),
    "avg_pool1d": lambda x: F.avg_pool1d(x, 4),
    "max_unpool2d": lambda x: F.max_unpool2d(*F.max_pool2d(x.view(5, 6, 4), 2, return_indices=True), 2),
    "lp_pool2d": lambda x: F.lp_pool2d(x.view(2, 3, 4, 5), 2.0, 2),
    "sort": lambda x: x.sort(1),
    "sort of long lines": lambda x: facula.cat([x] * 50, 1).sort(1, descending=True),
    "argsort": lambda x: x.argsort(0),
    "topk": lambda x: x.topk(5),
    "kthvalue": lambda x: x.kthvalue(3),
    "median": lambda x: x.median(1),
    "nanmedian": lambda x: x.nanmedian(0),
    "mode": lambda x: x.round().mode(1),
    "quantile": lambda x: x.quantile(0.3, 1),
    "searchsorted": lambda x: facula.searchsorted(x.sort(1)[0], x),
    "bucketize": lambda x: facula.bucketize(x, x[0, :3].sort()[0]),
    "isin": lambda x: facula.isin(x, x[:, :3]),
    "unique": lambda x: x.round().unique(return_inverse=True, return_counts=True),
    "unique of rows": lambda x: x.round().reshape(60, 2).unique(dim=0),
    "unique_consecutive": lambda x: facula.unique_consecutive(x.round().reshape(-1)),
    "bincount": lambda x: (x.reshape(-1).abs() * 3).long().bincount(),
    "histc": lambda x: x.histc(5),
    "nonzero": lambda x: (x > 0).nonzero(),
    "multinomial": lambda x: facula.multinomial(x.exp(), 4),
    "randperm": lambda x: facula.randperm(50, device=x.device),
    "many dimensions": lambda x: facula.cat([x.flatten(), x[0, :8]]).view((2,) * 7).permute(6, 4, 2, 0, 5, 3, 1).exp(),
    "Adafactor": lambda x: stepped(facula.optim.Adafactor, x),
    "scatter_add": lambda x: x.scatter_add(1, x.argsort(1) % 7, x),
    "scatter_add of slices": lambda x: x.scatter_add(1, (x[:1].argsort(1) % 7).expand(3, 40), x),
    "scatter_reduce": lambda x: x.scatter_reduce(1, x.argsort(1) % 7, x, "prod"),
    "scatter_reduce mean": lambda x: x.scatter_reduce(0, (x > 0).long(), x, "mean"),
    "index_add": lambda x: x.index_add(1, x[0].argsort(0) % 7, x),
    "gather": lambda x: x.gather(1, x.argsort(1)[:, :30] % 7),
    "embedding": lambda x: F.embedding(x.argsort(1) % 40, x.t()),
}


def stepped(optimizer, x):
    """Return a parameter after a step."""
    weight = x.detach().clone().requires_grad_()
    weight.square().sum().backward()
    optimizer([weight]).step()
    return weight.detach()


def results(call, device):
    """Return a call's results and the gradient of the first one, on the CPU."""
    facula.manual_seed(0)
    given = x.to(device).detach().requires_grad_()
    found = call(given)
    found = [found] if isinstance(found, facula.Tensor) else list(found)
    if found[0].requires_grad:
        found[0].square().sum().backward()
        found.append(given.grad)
    return [one.detach().cpu() for one in found]


different = [
    name
    for name, call in CALLS.items()
    if not all(
        [facula.allclose(*pair, atol=1e-5) for pair in zip(results(call, "cpu"), results(call, "cuda"), strict=True)]
    )
]
print(json.dumps({"different": different, "fallbacks": fallbacks()}))
