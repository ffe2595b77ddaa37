"""Request plans with mutated layouts and parameters, and run the accepted ones on memory with guards around it.

    python jit_contracts.py SEED COUNT

A kernel that writes outside of its operands changes a guard; reads outside of them are detected by the sanitizers'
session. Prints the numbers of refused and executed requests. It runs as a separate process, since an invalid request
may crash it.
"""

import copy
import json
import random
import sys
import warnings

import numpy as np

from facula_jit import capture
from facula_jit._files.errors import Refusal
from facula_jit._files.json_values import DTYPES
from facula_jit._files.plan_requests import Request, plan_of, request_of, roles_of
from facula_storage import LaunchError
from facula_tensor import binomial, cat, fft, linalg, ones, poisson, randn, tensor
from facula_tensor.extend import recurrent_layer
from facula_tensor.functional import (
    avg_pool2d,
    conv2d,
    cross_entropy,
    ctc_loss,
    grid_sample,
    group_norm,
    interpolate,
    layer_norm,
    max_pool2d,
    scaled_dot_product_attention,
)

GUARD = 64
ROWS = tensor([[0, 1, 2], [3, 3, 1]])
H0, STEPS = ones(2, 2), tensor([2, 1, 1])


def SQUARE(x):
    """Return a positive definite matrix."""
    return x[:, :4] @ x[:, :4].t() + ones(4).diag()


FUNCTIONS = (
    lambda x: ((x @ x.t()).tanh().sum(0), x.var(1), x.amax(1), x.argmax(0), x.softmax(1), x.std()),
    lambda x: (x.flip(0), x.roll((1, 2), (0, 1)), x.unfold(1, 3, 2), x.repeat(2, 2), x.tril(), cat([x, x * 2], 1)),
    lambda x: (x.gather(0, ROWS), x.scatter_add(0, ROWS, x[:2]), x[tensor([0, 2])], x.index_add(0, tensor([1]), x[:1])),
    lambda x: (x.sort(1)[0], x.topk(2, 0)[0], x.cumsum(1), x.cummax(0)[0], x.median(1)[0], x.kthvalue(2, 1)[0]),
    lambda x: (conv2d(x[None, None], ones(2, 1, 3, 2), padding=1), max_pool2d(x[None], 2, 1), avg_pool2d(x[None], 2)),
    lambda x: (layer_norm(x, (6,), ones(6)), group_norm(x, 2, ones(6)), interpolate(x[None], size=9, mode="linear")),
    lambda x: (cross_entropy(x, tensor([0, 1, 2, 3])), scaled_dot_product_attention(x[None], x[None], x[None])),
    lambda x: scaled_dot_product_attention(*[x.view(2, 2, 6).transpose(0, 1)] * 3, is_causal=True),
    lambda x: (linalg.svd(x), linalg.qr(x), linalg.pinv(x), linalg.svdvals(x), linalg.lu_factor_ex(x)[0]),
    lambda x: (linalg.solve(SQUARE(x), x), linalg.inv(SQUARE(x)), linalg.cholesky(SQUARE(x)), linalg.det(SQUARE(x))),
    lambda x: (linalg.eigh(SQUARE(x)), linalg.eigvalsh(SQUARE(x)), linalg.slogdet(SQUARE(x)), SQUARE(x).matrix_exp()),
    lambda x: (linalg.solve_triangular(SQUARE(x), x, upper=True), linalg.eigvals(SQUARE(x.detach()))),
    lambda x: (fft.rfft2(x), fft.ifft(x, dim=0), fft.irfft(x, 9, norm="ortho"), fft.fftn(x)),
    lambda x: (poisson(x.detach().abs()), binomial(x.detach().abs(), x.detach().sigmoid())),
    lambda x: (
        ctc_loss(x[:, None].log_softmax(2), tensor([[1, 2]]), [4], [2]),
        grid_sample(x[None, None], x.detach().reshape(1, 2, 6, 2)),
    ),
    lambda x: recurrent_layer("lstm", x, H0, H0, (ones(8, 6), ones(8, 2), ones(8), ones(8)), False, STEPS),
    lambda x: recurrent_layer("gru", x, H0, None, (ones(6, 6), ones(6, 2), None, None), True, STEPS),
)


def requests():
    """Return the requests of some functions and their backward passes to the backend."""
    found = {}
    for function in FUNCTIONS:
        captured, x = capture(function), randn(4, 6).requires_grad_()
        captured(x), captured(x)  # the first call may create cached values
        assert captured._latest_by_signature(), captured.report()
        for _, replay in captured._latest_by_signature():
            for launch in replay.recording.launches:
                found.setdefault(json.dumps(request_of(launch).data()), launch.part)
    return [(json.loads(data), part) for data, part in found.items()]


def mutate(data, rng):
    """Change sizes, strides, parameters or dtypes; equal sizes are mostly changed together."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        layouts = [entry for entry in data["inputs"] + data["outputs"] if isinstance(entry, list)]
        if not layouts:
            return
        how, chosen = rng.random(), rng.choice(layouts)
        if how < 0.5 and chosen[1]:
            size, other = rng.choice(chosen[1]), rng.choice((0, 1, 2, 3, 5, 9, 17))
            for layout in layouts:
                layout[1] = [other if k == size and rng.random() < 0.9 else k for k in layout[1]]
        elif how < 0.7:
            step, chosen[2] = 1, [0] * len(chosen[1])
            for place in rng.sample(range(len(chosen[1])), len(chosen[1])):
                chosen[2][place], step = step, step * max(chosen[1][place], 1) * rng.choice((1, 1, 2))
        elif how < 0.8:
            chosen[0] = rng.choice(list(DTYPES))
        elif data["parameters"]:
            place, value = rng.randrange(len(data["parameters"])), rng.choice((0, 1, 2, -1, 5, True, None, [0], [0, 1]))
            data["parameters"][place] = value


def guarded(layout, rng):
    """Return memory for a layout with guards on both sides: small integers, numbers, bools."""
    whole = np.full(layout.extent + 2 * GUARD, 0xA5, "u1")
    inside = whole[GUARD : GUARD + layout.extent]
    inside[:] = rng.integers(0, 2, layout.extent)
    if layout.dtype.name == "int64":
        inside.view("i8")[:] = rng.integers(-1, 5, layout.extent // 8)
    return whole


def main(seed, count):
    warnings.simplefilter("ignore")
    rng, numbers, known = random.Random(seed), np.random.default_rng(seed), requests()
    found = {"refused": 0, "ran": 0}
    for _ in range(count):
        data, part = copy.deepcopy(rng.choice(known))
        mutate(data, rng)
        try:
            request = Request.of(data)
            plan = plan_of(request)
            roles = roles_of(request, plan, part)
        except (Refusal, ValueError):
            found["refused"] += 1
            continue
        blocks, values, last = [], [], 0
        for place, role in enumerate(roles):
            if role.kind == "address":
                blocks.append(guarded(role.layout, numbers))
                values.append(blocks[-1].ctypes.data + GUARD + role.delta)
            else:
                values.append(role.value if role.kind == "same" else rng.choice((0, 1, 3)))
            last = place + 1 if role.kind in ("address", "same") else last
        if part < 0 and plan.workspace:
            scratch = np.zeros(plan.workspace, "u1")
            values.insert(last, scratch.ctypes.data)
        try:
            (plan.launch if part < 0 else plan.parts[part][0])(*values)
        except (LaunchError, IndexError):  # kernels and NumPy check indices when they use them
            pass
        found["ran"] += 1
        for block in blocks:
            assert (block[:GUARD] == 0xA5).all() and (block[len(block) - GUARD :] == 0xA5).all(), data
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
