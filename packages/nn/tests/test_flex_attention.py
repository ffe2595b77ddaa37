"""flex_attention: gradients, dtypes, block masks, invalid arguments.

integration_tests/together/test_answers.py compares values with PyTorch's.
"""

import pytest

import facula_tensor as ft
from facula_autograd import gradcheck
from facula_errors.testing import raises
from facula_nn.attention.flex_attention import (
    AuxOutput,
    AuxRequest,
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
    noop_mask,
    or_masks,
)
from facula_tensor.functional import scaled_dot_product_attention


def causal(b, h, q_idx, kv_idx):
    return q_idx >= kv_idx


def draw(*shape, dtype=ft.float64):
    ft.manual_seed(len(shape) + sum(shape))
    return ft.randn(*shape, dtype=dtype)


def leaves(keys=4, heads=2):
    shapes = [(2, 2, 5, 3), (2, heads, keys, 3), (2, heads, keys, 2)]
    return [draw(*shape).requires_grad_() for shape in shapes]


def with_slopes(slopes):
    return lambda score, b, h, q_idx, kv_idx: score.tanh() + slopes[h] * (kv_idx - q_idx)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("scored", [False, True])
def test_gradients(masked, groups, scored):
    """Gradients of query, key and value, and of a tensor that the score function captures."""
    mask = create_block_mask(causal, None, None, 5, 4, BLOCK_SIZE=2) if masked else None
    slopes = draw(2).requires_grad_()

    def attend(query, key, value, slopes):
        score_mod = with_slopes(slopes) if scored else None
        return flex_attention(query, key, value, score_mod, mask, enable_gqa=groups)

    operands = leaves(heads=1 if groups else 2)
    assert gradcheck(attend, (*operands, slopes) if scored else (*operands, slopes.detach()))


@pytest.mark.parametrize("scored", [False, True])
def test_gradients_of_logsumexp(scored):
    mask = create_block_mask(lambda b, h, q, k: (q >= k) & (q > 0), None, None, 5, 4)

    def attend(query, key, value):
        out, lse = flex_attention(query, key, value, with_slopes(ft.ones(2)) if scored else None, mask, return_lse=True)
        assert lse[:, :, 0].isneginf().all() and (out[:, :, 0] == 0).all()
        return out, lse[:, :, 1:]

    assert gradcheck(attend, tuple(leaves()))


def test_without_functions_equals_ordinary_attention():
    query, key, value = leaves(5)
    ordinary = scaled_dot_product_attention
    assert ft.allclose(flex_attention(query, key, value), ordinary(query, key, value))
    mask = create_block_mask(causal, None, None, 5, 5)
    assert ft.allclose(flex_attention(query, key, value, block_mask=mask), ordinary(query, key, value, is_causal=True))
    identity = flex_attention(query, key, value, lambda score, b, h, q, k: score, mask)
    assert ft.allclose(identity, ordinary(query, key, value, is_causal=True))


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16, ft.float32])
def test_scores_are_computed_in_float32(dtype):
    query, key, value = [draw(1, 2, 6, 4, dtype=ft.float32).to(dtype) for _ in range(3)]
    out, lse = flex_attention(query, key, value, lambda score, b, h, q, k: score + q, return_lse=True)
    assert out.dtype is dtype and lse.dtype is ft.float32
    exact = flex_attention(query.float(), key.float(), value.float(), lambda score, b, h, q, k: score + q)
    assert ft.allclose(out.float(), exact, atol=0.02)


def test_auxiliary_results():
    query, key, value = leaves()
    out, beside = flex_attention(query, key, value, return_aux=AuxRequest(lse=True, max_scores=True))
    assert isinstance(beside, AuxOutput) and out.shape == (2, 2, 5, 2)
    scores = query @ key.mT / 3**0.5
    assert ft.allclose(beside.lse, scores.logsumexp(-1)) and ft.allclose(beside.max_scores, scores.amax(-1))


def test_functions_receive_single_positions():
    """Reductions in the function apply to tensors that it captures, not to positions."""
    table = draw(5, 3)
    query, key, value = leaves(5)
    out = flex_attention(query, key, value, lambda score, b, h, q, k: score + table[q].sum() - table[k].amax())
    bias = table.sum(1)[:, None] - table.amax(1)
    wanted = scaled_dot_product_attention(query, key, value, bias)
    assert ft.allclose(out, wanted)


def test_key_is_broadcast_over_the_batch():
    query, key, value = leaves()
    mask = create_block_mask(lambda b, h, q, k: (k + b) % 2 == 0, 2, None, 5, 4)
    out = flex_attention(query, key[:1], value[:1], block_mask=mask)
    assert ft.allclose(out, flex_attention(query, key[:1].expand(2, 2, 4, 3), value[:1].expand(2, 2, 4, 2), None, mask))


def test_blocks():
    mask = create_block_mask(causal, 2, None, 300, 260)
    assert mask.shape == (2, 1, 300, 260) and mask.numel() == 156_000 and mask.BLOCK_SIZE == (128, 128)
    assert mask.to_dense()[0, 0].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert mask.full_kv_num_blocks[0, 0].tolist() == [0, 1, 0]
    assert ft.equal(mask.mask(), create_mask(causal, 2, None, 300, 260))
    assert repr(mask) == "BlockMask(shape=(2, 1, 300, 260), sparsity=-26.03%, BLOCK_SIZE=(128, 128))"
    again = BlockMask(*mask.as_tuple())
    assert ft.equal(again.mask(), mask.mask()) and mask.to("meta").kv_indices.is_meta
    row = mask[0, :, 1]
    assert row.kv_num_blocks.tolist() == [[[1]]] and row.full_kv_indices.shape == (1, 1, 1, 3)
    with raises(ValueError, "BlockMask", "blocks for 300 queries", "set seq_lengths", value="some for 128 and 384"):
        row.mask()


def test_block_masks_from_explicit_blocks():
    """Unlisted blocks are masked, independently of the function."""
    mask = BlockMask.from_kv_blocks(ft.tensor([[[1, 2]]]), ft.tensor([[[[1, 0], [0, 1]]]]), BLOCK_SIZE=2)
    assert mask.seq_lengths == (4, 4) and mask.mask_mod is noop_mask
    assert mask.mask().int()[0, 0].tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
    assert mask.q_num_blocks.tolist() == [[[1, 2]]] and mask.sparsity() == 25.0


A = draw(1, 2, 4, 3)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: flex_attention(A[0], A[0], A[0]), "flex_attention: of 4 dimensions"),
        (lambda: flex_attention(A, A[:, :1], A[:, :1]), "flex_attention: enable_gqa=True"),
        (lambda: flex_attention(A, A[:, :, :3], A), "flex_attention: value width"),
        (lambda: flex_attention(A, A.expand(2, 2, 4, 3), A.expand(2, 2, 4, 3)), "flex_attention: one batch"),
        (
            lambda: flex_attention(A, A, A, block_mask=create_block_mask(causal, 1, 1, 4, 5)),
            "flex_attention: block_mask of (1, 2, 4, 4)",
        ),
        (lambda: flex_attention(A, A, A, scale="2"), "flex_attention: scale to be a real number"),
        (lambda: create_mask(3, 1, 1, 2, 2), "create_mask: expected a function"),
        (lambda: create_mask(lambda q, k: q >= k, 1, 1, 2, 2), "create_mask: got one of 2 arguments"),
        (lambda: create_block_mask(lambda s, b, h, q, k: s, 1, 1, 2, 2), "create_block_mask: got 5 arguments"),
        (lambda: create_mask(lambda b, h, q, k: q - k, 1, 1, 2, 2), "create_mask: mask_mod to return a bool"),
        (lambda: and_masks(), "and_masks: one or more functions"),
        (lambda: or_masks(causal, 3), "or_masks: one or more functions"),
        (lambda: BlockMask.from_kv_blocks(ft.ones(1, 1, 2), ft.ones(1, 1, 3, 3)), "BlockMask: kv_num_blocks"),
        (
            lambda: BlockMask.from_kv_blocks(ft.ones(1, 1, 2), ft.ones(1, 1, 2, 3), ft.ones(1, 1, 2)),
            "BlockMask: or neither",
        ),
    ],
)
def test_invalid_arguments_are_rejected(call, said):
    with raises((TypeError, ValueError, NotImplementedError), said):
        call()
