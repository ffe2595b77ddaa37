"""Operators as ONNX nodes: results of onnxruntime equal those of facula; operators without nodes are refused by
name.
"""

import pytest
from jit_onnx import check

import facula_tensor as ft
import facula_tensor.linalg
from facula_errors.testing import raises
from facula_jit.onnx import OnnxExporterError, export
from facula_tensor import functional as F


def images(dtype=ft.float32):
    ft.manual_seed(0)
    return ft.randn(2, 3, 6, 6).to(dtype)


UNARY = """abs acos acosh asin asinh atan atanh ceil cos cosh erf erfc exp exp2 expm1 floor frac isnan log log10 log1p
log2 logit nan_to_num neg reciprocal relu round rsqrt sigmoid sign sin sinh sqrt square tan tanh trunc""".split()
ACTIVATIONS = """celu elu gelu glu hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu6 selu silu softplus
softshrink softsign tanhshrink""".split()
SINGLE = ("gelu",)  # not available for float64 in onnxruntime
BELOW_ONE = ("acos", "asin", "atanh", "logit")


def test_elementwise_operators_of_one_tensor():
    def function(x):
        shares = (x + 0.1) / (x.max() + 0.2)
        return [getattr(ft, name)(shares if name in BELOW_ONE else x + (name == "acosh") + 0.1) for name in UNARY]

    check(function, images().abs(), tolerance=2e-5)


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64], ids=str)
def test_activations(dtype):
    """Including programs: as one node in float32, by their instructions in float64."""
    names = [name for name in ACTIVATIONS if dtype is ft.float32 or name not in SINGLE]
    check(lambda x: [getattr(F, name)(x) for name in names], images(dtype) * 3)


def test_activations_with_one_node():
    """Only if ONNX's node has the arguments; otherwise the parts are exported."""
    x = images() * 3
    assert [node.op_type for node in check(lambda x: F.elu(x, 0.5), x).model_proto.graph.node] == ["Elu"]
    assert [node.op_type for node in check(F.softplus, x).model_proto.graph.node] == ["Softplus"]
    assert len(check(lambda x: F.softplus(x, 2, 5.0), x).model_proto.graph.node) > 1


def arithmetic(x, y):
    return (
        x + y, 1 - x, 2 / x, 2**x, x**2, x**0.5, x // y, x % y, ft.fmod(x, y), ft.maximum(x, y), ft.fmin(x, y),
        ft.atan2(x - 1, y - 1), ft.hypot(x, y), ft.logaddexp(x, y), ft.xlogy(x, y), ft.lerp(x, y, 0.3),
        ft.add(x, y, alpha=2), ft.addcmul(x, x, y, value=0.5), ft.addcdiv(x, x, y, value=0.5), x.clamp(min=0.5),
        x.clamp(0.5, 1), ft.clamp(x, y, y + 1), ft.where(x > y, x, 0.0), ft.where(x > y, 0.0, x), x == x,
        x != y, x <= y, x.masked_fill(x < 1, 7), (x > y) & (x >= 1), (x > y) | ~(x < 1), (x > y) ^ (x < 1),
        ft.div(x, y, rounding_mode="trunc"),
    )  # fmt: skip


def test_elementwise_operators_of_several():
    x = images().abs() + 0.1
    check(arithmetic, x, x.flip(3)[:, :1] + 0.3)


def test_integers_and_bools():
    i, b = ft.tensor([[3, -4, 5], [0, 7, -2]]), ft.tensor([[True, False, True], [False, False, True]])
    check(
        lambda i, b: (
            i + 1, 3 - i, i * 2, i // 2, i % 3, -i // 2, i / 2, i == 3, i.clamp(min=0), i.relu(), i.sum(), i.cumsum(1),
            *i.max(1), i.amin(0), i.float(), i.int(), i.bool(), b.sum(), b.any(1), b.all(0), b & ~b, b.int(), i & 3,
            ft.where(b, i, -i), i.sort(1)[0], i.argmax(1), i.prod(1), F.one_hot(i.abs(), 8), b == b.flip(0),
            b.float() * 2, i | 4,
        ),
        i, b,
    )  # fmt: skip


def test_half_precision():
    x = images().half()
    check(lambda x: (x * 2 + 1, x @ x, x.softmax(-1), x.float(), x.sigmoid(), x.sum(1)), x, tolerance=4e-3)


VIEWS = {
    "selected": lambda x: (x[0], x[:, 1:3], x[:, -1], x[..., ::2], x[:, :, 1::3], x[None], x[:, 0, 2], x[1:, :, 2, 3]),
    "turned": lambda x: (x.mT, x.permute(3, 0, 2, 1), x.movedim(1, -1).contiguous(), x.transpose(0, 2).flatten(1)),
    "repeated": lambda x: (x[:, :1].expand(4, 2, 3, 6, 6), x[0, 0, 0].expand(2, 6) + 1),
    "strange": lambda x: (x.diagonal(dim1=2, dim2=3), x.unfold(2, 3, 1), x.as_strided((2, 3), (1, 2), 5)),
    "apart": lambda x: [*x.chunk(2), *x.split([1, 2], 1), *x.unbind(1)],
    "moved": lambda x: (x.flip(1), x.flip([0, 3]), x.roll(1, 1), x.roll((1, 2), (0, 2)), x.tril(), x.triu(1)),
    "tiled": lambda x: (x.repeat(1, 2, 1, 1), x.repeat_interleave(2, 1), x.tile(2)),
    "joined": lambda x: (ft.cat([x, x], 1), ft.stack([x, x]), ft.stack([x, x], -1), ft.cat([x.mT, x.mT], 1)),
    "padded": lambda x: [F.pad(x, (1, 0, 2, 3), value=4.0), F.pad(x, (-1, 1)), F.pad(x, (0, 0, 0, 0, 1, 1))],
    "kinds of padding": lambda x: [F.pad(x, (1, 2, 2, 1), mode=mode) for mode in ("reflect", "replicate", "circular")],
    "given back": lambda x: (x, x, x[0]),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_and_moves(name):
    check(VIEWS[name], images())


def changed(x):
    y = x.clone()
    y.add_(1).mul_(2)
    y[:, 0].fill_(3.0)
    y[:, 1] = 0.0
    y[:, 2, 0] = y[:, 0, 1]
    y.transpose(2, 3).mul_(2)
    before = y * 1
    y.masked_fill_(y > 5, 0.5).relu_()
    y.index_add_(0, ft.tensor([1, 0]), x)
    room = ft.zeros(4, 3, 6, 6)
    room[1:3] = x
    x.add_(1)
    return y, before, room, x * 1


def test_changes_in_place_are_new_values():
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    check(changed, images(), program=export(changed, images()))
    with raises(OnnxExporterError, "onnx.export", "add: changes a tensor of the program's"):
        state = ft.zeros(2)
        export(lambda x: state.add_(x), ft.ones(2))


def indexed(x, i):
    index = i.reshape(2, 1, 1, 1)
    return (
        x[i], x[:, i], x[i, i], x[i, :, i], x.index_select(0, i), x.gather(3, index), x.take_along_dim(index, 3),
        x[0, 0].scatter(1, i.reshape(2, 1), 0.5), ft.zeros(2, 7).scatter_add(1, i.reshape(2, 1), x[0, 0, :2, :1]),
        x.index_add(0, i, x), x.index_fill(0, i[:1], 0.0), x.index_copy(0, i, x), F.embedding(i, x[0, 0]),
        x.scatter_reduce(0, index.expand(2, 3, 6, 6), x, "amax"), x[-i - 1],
    )  # fmt: skip


def test_elements_at_an_index():
    check(indexed, images(), ft.tensor([1, 0]))


REDUCTIONS = {
    "sums": lambda x: (x.sum(), x.sum(1), x.mean((2, 3), keepdim=True), x.prod(2), x.norm(dim=1), x.cumsum(1)),
    "spread": lambda x: (x.norm(), x.var(1), x.std(), x.var((0, 2), correction=0, keepdim=True), x.logsumexp(1)),
    "orders of norms": lambda x: [x.norm(p, 1) for p in (0, 1, 3, float("inf"), -float("inf"))],
    "greatest": lambda x: (x.amax(1), x.min(), *x.max(1), *x.min(2, True), x.argmax(1), x.argmax(), x.argmin(3)),
    "order": lambda x: [*x.topk(2), *x.sort(1), *x.sort(3, descending=True), *x.median(1), *x.kthvalue(2, 1)],
    "truth": lambda x: (x.any(1), x.all(), (x > 0).sum(1), (x > 0).any()),
    "softmax": lambda x: (x.softmax(1), x.log_softmax(-1), F.softmin(x, 0)),
    "norms": lambda x: (
        F.layer_norm(x, (6,)), F.layer_norm(x, (6, 6), x[0, 0]), F.group_norm(x, 3), F.instance_norm(x), F.normalize(x),
        F.local_response_norm(x, 2), F.batch_norm(x, x[0, :, 0, 0], x[0, :, 0, 0] ** 2 + 1, x[1, :, 0, 0]),
        F.batch_norm(x, None, None, training=True), F.rms_norm(x, (6,)), F.cosine_similarity(x, x * x, -1),
        F.cosine_similarity(x, x * x),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    check(REDUCTIONS[name], images(), tolerance=2e-5)


def attended(q, mask):
    attend = F.scaled_dot_product_attention
    return (
        attend(q, q, q), attend(q, q, q, is_causal=True), attend(q, q, q, mask),
        attend(q, q[..., :3, :], q[..., :3, :]), attend(q, q, q, ft.where(mask, 0.0, -1.0), scale=0.3),
        attend(*[q.transpose(1, 2)] * 3).transpose(1, 2).flatten(2),
    )  # fmt: skip


def test_attention():
    """A row that is masked completely is 0."""
    mask = ft.ones(6, 6).tril().bool()
    mask[2] = False
    check(attended, images(), mask)


PRODUCTS = {
    "products": lambda x: (
        x @ x, x[0, 0] @ x[0, 1], x[0, 0, 0] @ x[0, 0], x[0, 0] @ x[0, 0, 0], F.linear(x, x[0, 0], x[0, 0, 0]),
        F.linear(x[0, 0], x[0, 1], x[0, 0, 0]), ft.einsum("abcd,abed->ace", x, x), ft.outer(x[0, 0, 0], x[0, 0, 1]),
        ft.addmm(x[0, 0], x[0, 1], x[0, 2]), ft.baddbmm(x[0], x[0], x[1], beta=0.5, alpha=2), ft.cdist(x[0], x[1]),
        ft.linalg.det(x),
    ),
    "convolutions": lambda x: (
        F.conv2d(x, x[:, :, :3, :2], None, 2, (1, 0)), F.conv2d(x, x[:, :, :2, :2], x[0, 0, 0, :2], dilation=2),
        F.conv2d(x, x[0, :, None, :2, :2], groups=3), F.conv1d(x[:, :, 0], x[:, :, 0, :3], padding="same"),
        F.conv3d(x[:, None], x[:, None, :2, :2, :2]), F.conv_transpose2d(x, x[0, :, None, :2, :2], stride=2, groups=3),
        F.conv_transpose2d(x, x[0, :, :2, :3].reshape(3, 1, 2, 3), x[0, 0, 0, :1], 3, 1, (1, 2)),
        F.conv_transpose1d(x[:, :, 0], x[0, :, :2, :3], padding=1),
    ),
    "pooling": lambda x: (
        F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 3, 2, ceil_mode=True), *F.max_pool2d(x, 2, return_indices=True),
        F.max_pool2d(x, 2, 1, dilation=2), F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1, True),
        F.avg_pool2d(x, 3, 2, 1, True, False), F.avg_pool2d(x, 3, 2, divisor_override=2), F.adaptive_avg_pool2d(x, 1),
        F.adaptive_avg_pool2d(x, (4, 3)), F.adaptive_max_pool2d(x, (4, 3)), F.lp_pool2d(x, 2, 2), F.avg_pool1d(x[0], 3),
        F.max_pool1d(x[0], 2),
    ),
    "resizing": lambda x: (
        F.interpolate(x, scale_factor=2), F.interpolate(x, scale_factor=2, mode="bilinear"),
        F.interpolate(x, size=(5, 8), mode="bicubic", align_corners=True), F.interpolate(x, size=(4, 4), mode="area"),
        F.pixel_shuffle(x.reshape(2, 12, 3, 3), 2), F.pixel_unshuffle(x, 2), F.unfold(x, 3),
        F.fold(F.unfold(x, 3), (6, 6), 3),
        F.grid_sample(x, x[:, :2].permute(0, 2, 3, 1).tanh(), align_corners=False),
        F.grid_sample(x, x[:, :2].permute(0, 2, 3, 1), "nearest", "reflection", align_corners=True),
    ),
    "losses": lambda x: (
        F.cross_entropy(x[:, :, 0, 0], ft.tensor([2, 0])), F.nll_loss(x.log_softmax(1), ft.ones(2, 6, 6).long()),
        F.cross_entropy(x, ft.ones(2, 6, 6).long(), reduction="none"), F.mse_loss(x, x * 2), F.smooth_l1_loss(x, x * 3),
        F.binary_cross_entropy_with_logits(x, x.sigmoid()), F.kl_div(x.log_softmax(1), x.softmax(1)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_and_images(name):
    check(PRODUCTS[name], images(), tolerance=1e-4)


def test_fused_functions():
    fused = ft.fuse(lambda x, y: ft.where(x > y, (x * y + 1).tanh() * 3, x.relu() - y.sigmoid()))
    check(lambda x: fused(x, x.flip(0) * 2), images())

    def fill(x):  # the name of a kernel
        return (x * 2).tanh()

    named = ft.fuse(fill)
    check(lambda x: named(x) + 1, images())
    scaled = ft.fuse(lambda x, y: ft.where(x > y, x * y + 1, y))
    check(lambda x: scaled(x, 0.5), images().half(), tolerance=2e-3)


def test_opsets_and_constants():
    """A later opset has other nodes for the same operators; constant expressions are folded, unless disabled."""
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    x = images()

    def function(x):
        return F.gelu(x) * ft.arange(6).float().exp() + ft.ones(6, 6).tril()

    for options in ({}, {"opset_version": 23}, {"do_constant_folding": False}):
        check(function, x, program=export(function, (x,), **options))
    for folds in (True, False):
        nodes = export(function, (x,), do_constant_folding=folds).model_proto.graph.node
        assert ("Exp" in [node.op_type for node in nodes]) is not folds


REFUSED = {
    "an export inside": (lambda x: export(lambda y: y, x) and x, "called inside a captured function"),
    "elements in Python": (lambda x: x * x.sum().item(), "item reads elements in Python"),
    "a branch": (lambda x: x if x.sum() > 0 else -x, "bool reads elements in Python"),
    "shapes that depend on data": (lambda x: x[x > 0], "nonzero reads elements in Python"),
    "elements in an operator": (lambda x: x.unique(), "unique reads elements in Python, by nonzero, which"),
    "random numbers": (lambda x: F.dropout(x), "dropout: draws random numbers; call model.eval() first"),
    "no node": (
        lambda x: x.lgamma(),
        "lgamma: is a special function that ONNX lacks ... test_onnx_operators.py ... (<lambda>)",
    ),
    "bits": (lambda x: x.view(ft.int32) + 1, "add: reads float32 as int32, bit by bit"),
    "numbers alone": (lambda x: (x, 2.0), "the model returns a float"),
    "nothing": (lambda x: None, "the model returns no tensor"),
    "half precision of no runtime": (lambda x: x.bfloat16() * 2, "copy: bfloat16 has no kernels in ONNX runtimes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_operators_without_nodes_are_refused_by_name(name):
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    function, message = REFUSED[name]
    with raises(OnnxExporterError, "onnx.export", message):
        export(function, images())
