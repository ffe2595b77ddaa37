"""Graphs in files: operators compute the same results."""

import pytest
from jit_toys import called, same, saved

from facula_tensor import (
    binomial,
    fft,
    get_rng_state,
    int32,
    linalg,
    ones,
    poisson,
    randn,
    set_rng_state,
    tensor,
    view_as_complex,
    view_as_real,
)
from facula_tensor.extend import recurrent_layer
from facula_tensor.functional import ctc_loss, grid_sample, interpolate, layer_norm

A, B = randn(6, 5), randn(5)

FUNCTIONS = {  # in addition to the families of test_capture_operators.py
    "normalised": lambda x: layer_norm(x, (6,), A[:, 0], None),
    "interpolated": lambda x: interpolate(x[None], size=9, mode="linear"),
    "halves": lambda x: (x.bfloat16() * 2).half().sum(),
    "argument": lambda x: (x, x[1:], None, "text", 2.5),
    "constants": lambda x: x * tensor([float("inf")]) + tensor(2.0),
    "constants from their end": lambda x: x + A[:4].flip(0).sum(1, True),
    "numbers as others": lambda x: (view_as_real(view_as_complex(x.reshape(4, 3, 2))), x.view(int32)),
    "copies of copies": lambda x: x.index_put((tensor([0, 1]), tensor([1, 2])), x[0, :2]),
    "transforms": lambda x: (fft.fft(x, dim=0), fft.irfft2(fft.rfft2(x)), fft.hfft(x)),
    "decompositions": lambda x: (linalg.svd(x), linalg.qr(x), linalg.pinv(x), linalg.eigh(x @ x.t()), linalg.lu(x)),
    "systems": lambda x: (linalg.solve(x[:, :4], x), linalg.lstsq(x, x)[0], x[:, :4].slogdet(), x[:, :4].inverse()),
    "sampled": lambda x: (poisson(x.abs()), binomial(x.abs(), x.sigmoid()), x.exp().multinomial(2)),
    "taps": lambda x: grid_sample(x[None, None], x.reshape(1, 2, 6, 2)),
    "alignments": lambda x: ctc_loss(x[:, None].log_softmax(2), tensor([[1, 2]]), [4], [2]),
    "packed sequences": lambda x: recurrent_layer(
        "lstm", x, ones(2, 2), None, (ones(8, 6), ones(8, 2), None, None), False, tensor([2, 1, 1])
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_the_same(name, tmp_path):
    """After loading, and after saving and loading again."""
    captured, x = called(FUNCTIONS[name], randn(4, 6)), randn(4, 6)
    state = get_rng_state()
    wanted = captured(x)
    for _ in range(2):
        captured = saved(captured, tmp_path)
        set_rng_state(state)
        again = captured(x)
        assert type(again) is type(wanted) and same(again, wanted)


def test_arguments_come_back_as_they_are(tmp_path):
    again = saved(called(lambda x, y: (x, [y.detach()]), ones(2, 3), ones(2)), tmp_path)
    x = randn(3, 2).requires_grad_()
    given = x.t()
    first, (second,) = again(given, given[:, 0])
    assert first is given and first.requires_grad and not second.requires_grad
    first.sum().backward()
    assert same(x.grad, ones(3, 2))
