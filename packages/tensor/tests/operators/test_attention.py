"""Scaled dot product attention: values, masks, dropout, gradients to order two, memory, errors."""

import math
from itertools import permutations

import numpy as np
import pytest
from elements import check_slopes, lay, values_of

import facula_tensor as ft
import facula_tensor.func
import facula_tensor.functional as F
from facula_allocator import default_host_allocator
from facula_autograd import grad, gradcheck
from facula_errors.testing import raises

TOLERANCE = {"float32": 3e-5, "float64": 1e-12, "float16": 1e-2, "bfloat16": 8e-2}
attend = F.scaled_dot_product_attention


def drawn(*shapes, dtype="float64", grad=False, seed=0):
    rng = np.random.default_rng(seed)
    return [ft.tensor(rng.standard_normal(shape), dtype=getattr(ft, dtype), requires_grad=grad) for shape in shapes]


def wanted(q, k, v, mask=None, is_causal=False, scale=None):
    """Compute attention in NumPy in float64; fully masked rows are 0."""
    scores = q @ np.swapaxes(k, -1, -2) * (1 / math.sqrt(q.shape[-1] or 1) if scale is None else scale)
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    most = scores.max(-1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(most == -np.inf, 0, most))
    total = powers.sum(-1, keepdims=True)
    return powers / np.where(total == 0, 1, total) @ v


def heads(array, dtype, order=(1, 0)):
    """Return a tensor of these elements with gaps, and with its first dimensions in this order in memory."""
    count = min(len(order), array.ndim - 1)
    dims = [*[dim for dim in order if dim < count], *range(count, array.ndim)]
    wide = np.concatenate([array.transpose(dims)] * 2, -1)
    memory = ft.tensor(wide, dtype=getattr(ft, dtype))[..., : array.shape[-1]]
    return memory.permute([dims.index(dim) for dim in range(array.ndim)])


SIZES = {
    "one tile": ((2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 4)),
    "many tiles": ((2, 150, 40), (2, 301, 40), (2, 301, 24)),
    "more queries": ((301, 20), (70, 20), (70, 33)),
    "one query": ((3, 1, 16), (3, 140, 16), (3, 140, 16)),
    "broadcast": ((4, 1, 6, 3), (2, 9, 3), (2, 9, 5)),
    "no queries": ((2, 0, 4), (2, 3, 4), (2, 3, 4)),
    "no keys": ((2, 3, 4), (2, 0, 4), (2, 0, 5)),
    "no batches": ((0, 3, 4), (0, 3, 4), (0, 3, 4)),
    "no width": ((2, 3, 0), (2, 5, 0), (2, 5, 4)),
}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_values(sizes, is_causal, dtype):
    arrays = [values_of(operand).astype("float64") for operand in drawn(*sizes, dtype=dtype)]
    close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    for layout in ("contiguous", "transposed", "sliced", "offset", "heads"):
        laid = [heads(array, dtype) if layout == "heads" else lay(array, dtype, layout) for array in arrays]
        got = attend(*laid, is_causal=is_causal)
        assert got.dtype is getattr(ft, dtype)
        np.testing.assert_allclose(values_of(got).astype("float64"), wanted(*arrays, is_causal=is_causal), **close)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", [(2, 3, 70, 150), (70, 150), (2, 1, 1, 150), (3, 70, 1), (1, 1), ()], ids=str)
def test_masks(shape, dtype):
    if len(shape) < 2:
        shape = (1, *shape, 150)
    q, k, v = drawn((2, 3, 70, 8), (2, 3, 150, 8), (2, 3, 150, 8), dtype=dtype)
    arrays = [values_of(operand).astype("float64") for operand in (q, k, v)]
    rng = np.random.default_rng(1)
    added = values_of(ft.tensor(rng.standard_normal(shape), dtype=getattr(ft, dtype))).astype("float64")
    masks = {
        "some": rng.random(shape) < 0.7,
        "none left": np.zeros(shape, bool),
        "added": added,
        "infinite": np.where(rng.random(shape) < 0.3, -np.inf, added),
    }
    for name, mask in masks.items():
        given = ft.tensor(mask) if mask.dtype == bool else ft.tensor(mask, dtype=getattr(ft, dtype))
        got = values_of(attend(q, k, v, given)).astype("float64")
        np.testing.assert_allclose(got, wanted(*arrays, mask), TOLERANCE[dtype], TOLERANCE[dtype], err_msg=name)
        turned = ft.tensor(np.swapaxes(mask, -1, -2).copy(), dtype=given.dtype).mT
        np.testing.assert_array_equal(values_of(attend(q, k, v, turned)).astype("float64"), got)


def test_scale_and_groups():
    q, k, v = drawn((2, 6, 5, 4), (2, 2, 7, 4), (2, 2, 7, 3))
    mask = np.random.default_rng(1).random((2, 6, 5, 7)) < 0.6
    repeated = [np.repeat(operand.numpy(), 3, 1) for operand in (k, v)]
    for given in (None, mask, mask[:, :1], mask[0, 0]):
        got = attend(q, k, v, None if given is None else ft.tensor(given), scale=0.3, enable_gqa=True)
        np.testing.assert_allclose(got.numpy(), wanted(q.numpy(), *repeated, given, scale=0.3), 1e-12, 1e-12)
    ours = [operand.requires_grad_() for operand in (q, k, v)]
    assert gradcheck(lambda *given: attend(*given, enable_gqa=True), ours)


@pytest.mark.parametrize(("batch", "length", "keys"), [(0, 3, 3), (2, 0, 3), (2, 3, 0), (0, 0, 0)])
def test_groups_of_empty_operands(batch, length, keys):
    shapes = (batch, 6, length, 4), (batch, 2, keys, 4), (batch, 2, keys, 5)
    for mask in (None, ft.zeros(length, keys), ft.zeros(batch, 6, length, keys, requires_grad=True)):
        operands = [ft.ones(*shape, requires_grad=True) for shape in shapes]
        got = attend(*operands, mask, enable_gqa=True)
        np.testing.assert_array_equal(got.detach().numpy(), np.zeros((batch, 6, length, 5)))
        got.sum().backward()
        assert [tuple(operand.grad.shape) for operand in operands] == [*shapes]


CASES = {
    "plain": {},
    "causal": {"is_causal": True},
    "bool mask": {"attn_mask": ft.tensor([[True, False, True], [False, False, False], [True, True, True]])},
    "added": {"attn_mask": ft.tensor([[0.5, -1.0, 2.0]], dtype=ft.float64)},
    "scale": {"scale": -0.7},
}


@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
def test_gradients(options):
    operands = drawn((2, 3, 4), (2, 3, 4), (2, 3, 5), grad=True)
    check_slopes(lambda *given: attend(*given, **options), operands)


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"attn_mask": ft.ones(5, 7).tril(1).bool()}], ids=str)
def test_results_and_gradients_keep_the_memory_order_of_operands(order, dtype, options):
    """NumPy determines the strides of an array like another; the elements are those of row-major operands."""
    arrays = [one.numpy() for one in drawn((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6), (2, 3, 5, 6))]
    row_major = [ft.tensor(array, dtype=getattr(ft, dtype)) for array in arrays]
    ordered = [heads(array, dtype, order) for array in arrays]
    results = []
    for q, k, v, g in (row_major, ordered):
        for operand in (q, k, v):
            operand.requires_grad_()
        out = attend(q, k, v, **options)
        results.append([out.detach(), *grad(out, (q, k, v), g)])
    for got, expected, like in zip(results[1], results[0], [ordered[0], *ordered[:3]], strict=True):
        assert ft.equal(got, expected)
        strides = np.empty_like(
            np.lib.stride_tricks.as_strided(np.zeros(1), like.shape, like.stride()), shape=got.shape
        )
        assert got.stride() == tuple(step // strides.itemsize for step in strides.strides)


@pytest.mark.filterwarnings("ignore:backward.create_graph=True")
@pytest.mark.parametrize("swapped", [0, 1])
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"dropout_p": 0.3}], ids=str)
def test_gradients_of_many_tiles_equal_those_with_a_graph(options, dtype, swapped):
    shapes = [(2, 150, 24), (2, 200, 24), (2, 200, 33)]
    operands = drawn(*[(*shape[:2][:: 1 - 2 * swapped], shape[2]) for shape in shapes], dtype=dtype, grad=True)
    along = drawn((2, 150, 33), dtype=dtype, seed=1)[0]
    ft.manual_seed(3)
    out = attend(*[operand.transpose(0, swapped) for operand in operands], **options)
    out.backward(along, retain_graph=True, create_graph=True)
    slow = [operand.grad.detach() for operand in operands]
    for operand in operands:
        operand.grad = None
    out.backward(along)
    for operand, other in zip(operands, slow, strict=True):
        got, expected = values_of(operand.grad).astype("float64"), values_of(other).astype("float64")
        np.testing.assert_allclose(got, expected, TOLERANCE[dtype], TOLERANCE[dtype])


@pytest.mark.parametrize("shape", [(5,), (3, 5), (2, 3, 5)], ids=str)
def test_a_batch_shares_a_mask(shape):
    query, key, value, mask = drawn((4, 2, 3, 4), (4, 2, 5, 4), (4, 2, 5, 3), shape)
    function = lambda q, k, v: attend(q, k, v, mask)
    for call in (function, ft.func.grad(lambda *given: function(*given).square().sum(), (0, 1, 2))):
        got = ft.func.vmap(call)(query, key, value)
        separate = [call(*given) for given in zip(query, key, value, strict=True)]
        for found, expected in zip(
            *([got], [separate]) if call is function else (got, zip(*separate, strict=True)), strict=True
        ):
            np.testing.assert_allclose(values_of(found), values_of(ft.stack([*expected])), 1e-9)


def test_gradients_of_expanded_and_repeated_operands():
    query, key = drawn((3, 2, 4, 4), (2, 5, 4), grad=True)
    check_slopes(lambda q, k: attend(q, k.expand(3, 2, 5, 4), k.expand(3, 2, 5, 4)), [query, key])
    check_slopes(lambda q, k: attend(q.transpose(0, 1), k[:, None], k[:, None, :, :1].expand(2, 3, 5, 7)), [query, key])
    check_slopes(lambda x: attend(x, x, x.mT), [drawn((2, 4, 4), grad=True)[0]])


@pytest.mark.parametrize("dims", [(0, None, None), (None, 1, 2), (3, 2, 0)], ids=str)
def test_batches_along_any_dimension(dims):
    shapes = (2, 3, 4), (2, 5, 4), (2, 5, 3)
    given = drawn(
        *[shape if at is None else (*shape[:at], 6, *shape[at:]) for shape, at in zip(shapes, dims, strict=True)]
    )
    call = ft.func.grad_and_value(lambda *operands: attend(*operands).square().sum(), (0, 1, 2))
    gradients, values = ft.func.vmap(call, dims)(*given)
    for i in range(6):
        row = [one if at is None else one.select(at, i) for one, at in zip(given, dims, strict=True)]
        expected, value = call(*row)
        np.testing.assert_allclose(values[i].item(), value.item(), 1e-12)
        for got, wanted_ in zip(gradients, expected, strict=True):
            np.testing.assert_allclose(got[i].numpy(), wanted_.numpy(), 1e-9, 1e-12)


def test_masks_that_require_a_gradient():
    operands = drawn((2, 3, 4), (2, 5, 4), (2, 5, 3), (3, 5), grad=True)
    check_slopes(attend, operands)
    still = attend(*operands[:3], operands[3].detach())
    np.testing.assert_allclose(attend(*operands).detach().numpy(), still.detach().numpy(), 1e-12, 1e-12)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_dropout_depends_on_element_numbers(dtype):
    q, k, v = drawn((2, 70, 8), (2, 150, 8), (2, 150, 8), dtype=dtype)
    ft.manual_seed(5)
    got = attend(q, k, v, dropout_p=0.4)
    ft.manual_seed(5)
    assert (attend(q, k, v, dropout_p=0.4) == got).all()
    ft.manual_seed(5)
    pattern = F.dropout(ft.ones(2, 70, 150, dtype=ft.float64), 0.4).numpy()
    scores = [values_of(operand).astype("float64") for operand in (q, k, v)]
    kept = wanted(scores[0], scores[1], np.broadcast_to(np.eye(150), (2, 150, 150))) * pattern
    np.testing.assert_allclose(values_of(got).astype("float64"), kept @ scores[2], TOLERANCE[dtype], TOLERANCE[dtype])
    assert not values_of(attend(q, k, v, dropout_p=1.0)).any()


def test_gradients_with_dropout():
    operands = drawn((2, 3, 4), (2, 5, 4), (2, 5, 3), grad=True)

    def seeded(*given):
        ft.manual_seed(1)
        return attend(*given, dropout_p=0.5)

    check_slopes(seeded, operands)


def test_nan_affects_only_its_row():
    q, k, v = drawn((3, 4), (5, 4), (5, 4))
    q[1, 0] = float("nan")
    got = attend(q, k, v).numpy()
    assert np.isnan(got[1]).all()
    assert np.isfinite(got[[0, 2]]).all()


def peak(length):
    """Return the peak memory in bytes that attention and its gradient add, at a sequence length."""
    operands = drawn((1, 2, length, 16), (1, 2, length, 16), (1, 2, length, 16), dtype="float32", grad=True)
    allocator = default_host_allocator()
    allocator.trim()
    allocator.reset_peak_memory_stats()
    before = allocator.statistics()["reserved_bytes"]
    attend(*operands, is_causal=True).sum().backward()
    return allocator.memory_stats()["reserved_bytes.all.peak"] - before


def test_memory_is_linear_in_length():
    short, long = peak(1024), peak(4096)
    assert long < 5 * short, (short, long)
    assert long < 4096 * 4096 * 4, "scores of one head would be larger"


REFUSED = {
    "integers": (lambda m: attend(*[m.long()] * 3), "expected query, key and value in one floating dtype; got int64"),
    "dtypes": (lambda m: attend(m, m, m.double()), "got float32, float32 and float64"),
    "dimensions": (lambda m: attend(m[0], m, m), "expected query of at least 2 dimensions"),
    "width": (lambda m: attend(m, m[:, :2], m), "got (3, 4), (3, 2) and (3, 4)"),
    "batches": (lambda m: attend(m.expand(2, 3, 4), m.expand(5, 3, 4), m), "shapes ... do not broadcast"),
    "both masks": (lambda m: attend(m, m, m, ft.ones(3, 3), is_causal=True), "expected attn_mask or is_causal=True"),
    "mask": (lambda m: attend(m, m, m, ft.ones(2, 3)), "expected attn_mask that broadcasts to (3, 3); got (2, 3)"),
    "mask's dtype": (
        lambda m: attend(m, m, m, ft.ones(3, 3).long()),
        "expected attn_mask of bool or float32; got int64",
    ),
    "share": (lambda m: attend(m, m, m, dropout_p=1.5), "expected a share dropout_p from 0 to 1; got 1.5"),
    "heads": (
        lambda m: attend(m.expand(3, 3, 4), m.expand(2, 3, 4), m.expand(2, 3, 4), enable_gqa=True),
        "expected query's heads to be a multiple of key's and value's for enable_gqa; got 3, 2 and 2",
    ),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_errors(call, message):
    with raises((ValueError, TypeError, RuntimeError), "scaled_dot_product_attention", message):
        call(ft.ones(3, 4))
