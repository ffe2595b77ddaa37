"""Runs operators on the CPU and on a simulated CUDA device; prints which results differ, and the fallbacks, as JSON."""

import json

import facula
from facula_cuda import fallbacks
from facula_cuda.testing import simulate

simulate()
facula.manual_seed(0)
x = facula.randn(3, 40)
attend = facula.nn.functional.scaled_dot_product_attention

#: Calls that need kernels alone. This list only grows.
CALLS = {
    "cumsum": lambda x: x.cumsum(1),
    "cumprod": lambda x: x.cumprod(0),
    "cummax": lambda x: x.cummax(1),
    "cummin": lambda x: x.cummin(0),
    "logcumsumexp": lambda x: x.logcumsumexp(1),
    "attention": lambda x: attend(x.view(3, 2, 4, 5), x.view(3, 2, 4, 5), x.view(3, 2, 4, 5), is_causal=True),
    "grouped attention": lambda x: attend(x.view(1, 6, 4, 5), *[x[0].view(1, 2, 4, 5)] * 2, enable_gqa=True),
}


def results(call, device):
    """Return a call's results and the gradient of the first one, on the CPU."""
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
