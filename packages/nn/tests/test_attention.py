"""Multi-head attention and transformers: values, masks, state dicts, options, invalid arguments."""

import numpy as np
import pytest

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises
from facula_nn.attention import SDPBackend, sdpa_kernel


class Norm(nn.Module):
    """Layer normalisation composed of operators: the reference for the normalisation in transformers."""

    def __init__(self, width, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.eps = eps
        self.weight = ft.Parameter(ft.ones(width, dtype=dtype))
        self.register_parameter("bias", ft.Parameter(ft.zeros(width, dtype=dtype)) if bias else None)

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        normal = centred / ((centred * centred).mean(-1, keepdim=True) + self.eps).sqrt() * self.weight
        return normal if self.bias is None else normal + self.bias


@pytest.fixture(autouse=True)
def composed_norm(monkeypatch):
    monkeypatch.setattr(nn, "LayerNorm", Norm, raising=False)


def drawn(*shape, seed=0):
    return ft.tensor(np.random.default_rng(seed).standard_normal(shape))


def array(tensor):
    return np.array(tensor.detach().numpy())


def expected(layer, query, key, value, mask=None):
    """Outputs and weights (batch, heads, length, keys) by NumPy, length first; `mask` is True for visible keys."""
    width, heads = layer.embed_dim, layer.num_heads
    if layer.in_proj_weight is not None:
        weights = np.split(array(layer.in_proj_weight), 3)
    else:
        weights = [array(one) for one in (layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight)]
    biases = np.zeros((3, width)) if layer.in_proj_bias is None else array(layer.in_proj_bias).reshape(3, width)
    q, k, v = [x @ w.T + b for x, w, b in zip((query, key, value), weights, biases, strict=True)]
    if layer.bias_k is not None:
        k = np.concatenate([k, np.broadcast_to(array(layer.bias_k), (1, *k.shape[1:]))])
        v = np.concatenate([v, np.broadcast_to(array(layer.bias_v), (1, *v.shape[1:]))])
    if layer.add_zero_attn:
        k, v = [np.concatenate([one, np.zeros((1, *one.shape[1:]))]) for one in (k, v)]
    q, k, v = [one.reshape(*one.shape[:2], heads, -1).transpose(1, 2, 0, 3) for one in (q, k, v)]
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        further = scores.shape[-1] - mask.shape[-1]
        mask = np.concatenate([mask, np.ones((*mask.shape[:-1], further), bool)], -1)
        scores = np.where(mask, scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    found = powers / powers.sum(-1, keepdims=True)
    out = (found @ v).transpose(2, 0, 1, 3).reshape(query.shape[0], query.shape[1], width)
    out = out @ array(layer.out_proj.weight).T
    return (out if layer.out_proj.bias is None else out + array(layer.out_proj.bias)), found


OPTIONS = {
    "plain": {},
    "without bias": {"bias": False},
    "other widths": {"kdim": 5, "vdim": 7},
    "bias of keys": {"add_bias_kv": True},
    "zeros": {"add_zero_attn": True, "add_bias_kv": True, "kdim": 3},
}


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_multihead_attention(options, batch_first):
    layer = nn.MultiheadAttention(8, 2, batch_first=batch_first, dtype=ft.float64, **options)
    for name, one in layer.named_parameters():
        one.detach().copy_(drawn(*one.shape, seed=len(name)))
    q, k, v = drawn(4, 3, 8), drawn(6, 3, layer.kdim, seed=1), drawn(6, 3, layer.vdim, seed=2)
    out, found = expected(layer, *map(array, (q, k, v)))
    given = [one.transpose(0, 1) for one in (q, k, v)] if batch_first else [q, k, v]
    turned = out.swapaxes(0, 1) if batch_first else out
    got, weights = layer(*given)
    np.testing.assert_allclose(array(got), turned, atol=1e-12)
    np.testing.assert_allclose(array(weights), found.mean(1), atol=1e-12)
    np.testing.assert_allclose(array(layer(*given, average_attn_weights=False)[1]), found, atol=1e-12)
    got, weights = layer(*given, need_weights=False)
    np.testing.assert_allclose(array(got), turned, atol=1e-12)
    assert weights is None
    got, weights = layer(q[:, 1], k[:, 1], v[:, 1])
    np.testing.assert_allclose(array(got), out[:, 1], atol=1e-12)
    np.testing.assert_allclose(array(weights), found.mean(1)[1], atol=1e-12)


@pytest.mark.parametrize("same", ["all", "key and value", "none"])
def test_identical_operands_share_one_projection(same):
    layer = nn.MultiheadAttention(8, 4, dtype=ft.float64)
    q = drawn(5, 2, 8)
    k = q if same == "all" else drawn(6, 2, 8, seed=1)
    v = drawn(6, 2, 8, seed=2) if same == "none" else k
    np.testing.assert_allclose(array(layer(q, k, v)[0]), expected(layer, *map(array, (q, k, v)))[0], atol=1e-12)


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("options", [{}, {"add_bias_kv": True, "add_zero_attn": True}], ids=str)
def test_masks(options, need_weights):
    layer = nn.MultiheadAttention(8, 2, dtype=ft.float64, **options)
    q, k = drawn(4, 3, 8), drawn(6, 3, 8, seed=1)
    rng = np.random.default_rng(3)
    hidden, padding, by_head = rng.random((4, 6)) < 0.4, rng.random((3, 6)) < 0.3, rng.random((6, 4, 6)) < 0.4
    hidden[:, 0] = padding[:, 0] = by_head[:, :, 0] = False

    def numbers(mask):
        return ft.tensor(np.where(mask, -np.inf, 0.0))

    allowed = ~hidden & ~padding[:, None, None]
    cases = [
        ({"attn_mask": ft.tensor(hidden)}, ~hidden),
        ({"attn_mask": numbers(hidden)}, ~hidden),
        ({"attn_mask": ft.tensor(by_head)}, ~by_head.reshape(3, 2, 4, 6)),
        ({"key_padding_mask": ft.tensor(padding)}, ~padding[:, None, None]),
        ({"key_padding_mask": ft.tensor(padding), "attn_mask": ft.tensor(hidden)}, allowed),
        ({"key_padding_mask": numbers(padding), "attn_mask": ft.tensor(hidden)}, allowed),
        ({"key_padding_mask": ft.tensor(padding), "attn_mask": numbers(hidden)}, allowed),
    ]
    for masks, mask in cases:
        wanted = expected(layer, array(q), array(k), array(k), np.broadcast_to(mask, (3, 2, 4, 6)))[0]
        got = layer(q, k, k, need_weights=need_weights, **masks)[0]
        np.testing.assert_allclose(array(got), wanted, atol=1e-12, err_msg=str(masks))


def test_causal_mask_and_is_causal():
    layer = nn.MultiheadAttention(8, 2, dtype=ft.float64)
    x, mask = drawn(4, 3, 8), nn.Transformer.generate_square_subsequent_mask(4, dtype=ft.float64)
    assert mask.tolist() == [[0.0 if j <= i else -np.inf for j in range(4)] for i in range(4)]
    wanted = array(layer(x, x, x, attn_mask=mask)[0])
    for need_weights in (False, True):
        got = layer(x, x, x, attn_mask=mask, is_causal=True, need_weights=need_weights)[0]
        np.testing.assert_allclose(array(got), wanted, atol=1e-12)


def test_dropout_only_in_training():
    layer, x = nn.MultiheadAttention(8, 2, dropout=0.9, dtype=ft.float64), drawn(6, 2, 8)
    for need_weights in (False, True):
        assert (layer(x, x, x, need_weights=need_weights)[0] != layer(x, x, x, need_weights=need_weights)[0]).any()
    layer.eval()
    np.testing.assert_allclose(array(layer(x, x, x)[0]), array(layer(x, x, x, need_weights=False)[0]), atol=1e-12)


STATES = {
    "packed": (
        lambda: nn.MultiheadAttention(4, 2),
        {"in_proj_weight": (12, 4), "in_proj_bias": (12,), "out_proj.weight": (4, 4), "out_proj.bias": (4,)},
    ),
    "apart": (
        lambda: nn.MultiheadAttention(4, 2, bias=False, add_bias_kv=True, vdim=3),
        {
            "q_proj_weight": (4, 4), "k_proj_weight": (4, 4), "v_proj_weight": (4, 3), "bias_k": (1, 1, 4),
            "bias_v": (1, 1, 4), "out_proj.weight": (4, 4),
        },
    ),
    "encoder": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, bias=False), 1, Norm(4)),
        {
            "layers.0.self_attn.in_proj_weight": (12, 4), "layers.0.self_attn.out_proj.weight": (4, 4),
            "layers.0.linear1.weight": (6, 4), "layers.0.linear2.weight": (4, 6), "layers.0.norm1.weight": (4,),
            "layers.0.norm2.weight": (4,), "norm.weight": (4,), "norm.bias": (4,),
        },
    ),
    "decoder": (
        lambda: nn.TransformerDecoderLayer(4, 2, 6, bias=False),
        {
            "self_attn.in_proj_weight": (12, 4), "self_attn.out_proj.weight": (4, 4),
            "multihead_attn.in_proj_weight": (12, 4), "multihead_attn.out_proj.weight": (4, 4),
            "linear1.weight": (6, 4), "linear2.weight": (4, 6), "norm1.weight": (4,), "norm2.weight": (4,),
            "norm3.weight": (4,),
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "wanted"), STATES.values(), ids=STATES)
def test_state(make, wanted):
    state = {name: tuple(one.shape) for name, one in make().state_dict().items()}
    assert state == wanted
    assert list(state) == list(wanted)


def test_repr():
    shown = repr(nn.MultiheadAttention(4, 2))
    assert "(out_proj): NonDynamicallyQuantizableLinear(in_features=4, out_features=4, bias=True)" in shown


@pytest.mark.parametrize("norm_first", [False, True])
def test_layers_equal_the_composition_of_their_parts(norm_first):
    options = {"dropout": 0.0, "activation": "gelu", "norm_first": norm_first, "dtype": ft.float64}
    x, memory = drawn(4, 3, 8), drawn(5, 3, 8, seed=1)
    gelu = nn.functional.gelu

    encoder = nn.TransformerEncoderLayer(8, 2, 16, **options)
    decoder = nn.TransformerDecoderLayer(8, 2, 16, **options)

    def through(layer, attentions):
        norms = [layer.norm1, layer.norm2, getattr(layer, "norm3", None)]
        steps = [*attentions, lambda x: layer.linear2(gelu(layer.linear1(x)))]
        y = x
        for norm, step in zip(norms, steps, strict=False):
            y = y + step(norm(y)) if norm_first else norm(y + step(y))
        return y

    own = [lambda x: encoder.self_attn(x, x, x)[0]]
    np.testing.assert_allclose(array(encoder(x)), array(through(encoder, own)), atol=1e-12)
    both = [lambda x: decoder.self_attn(x, x, x)[0], lambda x: decoder.multihead_attn(x, memory, memory)[0]]
    np.testing.assert_allclose(array(decoder(x, memory)), array(through(decoder, both)), atol=1e-12)


@pytest.mark.parametrize("batch_first", [False, True])
def test_transformer(batch_first):
    net = nn.Transformer(8, 2, 2, 2, 16, 0.0, batch_first=batch_first, dtype=ft.float64)
    src, tgt = drawn(5, 3, 8), drawn(4, 3, 8, seed=1)
    mask = net.generate_square_subsequent_mask(4, dtype=ft.float64)
    padding = ft.tensor(np.arange(5) > np.array([[4], [2], [3]]))
    masks = {"tgt_mask": mask, "src_key_padding_mask": padding, "memory_key_padding_mask": padding}
    if batch_first:
        src, tgt = src.transpose(0, 1), tgt.transpose(0, 1)
    out = net(src, tgt, **masks, tgt_is_causal=True)
    out.sum().backward()
    assert out.shape == tgt.shape
    assert all(one.grad is not None for one in net.parameters())
    memory = net.encoder(src, src_key_padding_mask=padding)
    again = net.decoder(tgt, memory, tgt_mask=mask, memory_key_padding_mask=padding)
    np.testing.assert_allclose(array(out), array(again), atol=1e-12)
    weights = [layer.linear1.weight for layer in net.encoder.layers]
    assert (weights[0] != weights[1]).any(), "each layer draws its own"


def test_kernels_are_accepted():
    with sdpa_kernel(SDPBackend.MATH), sdpa_kernel([SDPBackend.FLASH_ATTENTION], set_priority=True):
        pass
    with raises(TypeError, "sdpa_kernel", "expected an SDPBackend or a list of them", value="'math'"):
        sdpa_kernel("math")


X = drawn(4, 3, 8)
REFUSED = {
    "heads": (lambda: nn.MultiheadAttention(8, 3), "MultiheadAttention: num_heads to divide embed_dim; got 3 and 8"),
    "width": (lambda: nn.MultiheadAttention(4, 2)(X, X, X), "multi_head_attention_forward: query of 4 numbers in the"),
    "dimensions": (lambda: nn.MultiheadAttention(8, 2)(X[0], X, X), "multi_head_attention_forward: query, key and"),
    "lengths": (lambda: nn.MultiheadAttention(8, 2)(X, X, X[1:]), "multi_head_attention_forward: key and value of"),
    "mask": (lambda: nn.MultiheadAttention(8, 2)(X, X, X, attn_mask=X), "multi_head_attention_forward: attn_mask of"),
    "padding": (
        lambda: nn.MultiheadAttention(8, 2)(X, X, X, key_padding_mask=ft.ones(4, 3)),
        "multi_head_attention_forward: expected key_padding_mask of shape (3, 4); got (4, 3)",
    ),
    "integers": (
        lambda: nn.MultiheadAttention(8, 2)(X, X, X, attn_mask=ft.ones(4, 4).long()),
        "multi_head_attention_forward: expected attn_mask of bool or a floating dtype; got int64",
    ),
    "hint": (
        lambda: nn.MultiheadAttention(8, 2)(X, X, X, is_causal=True),
        "multi_head_attention_forward: expected attn_mask with is_causal=True",
    ),
    "activation": (
        lambda: nn.TransformerEncoderLayer(8, 2, activation="tanh"),
        "TransformerEncoderLayer: 'relu', 'gelu' or a function",
    ),
    "batches": (lambda: nn.Transformer(8, 2, 1, 1)(X, X[:, 1:]), "Transformer: expected src and tgt of one batch"),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_invalid_arguments_are_rejected(call, message):
    with raises((ValueError, TypeError), message):
        call()
