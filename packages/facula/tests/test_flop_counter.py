"""FLOPs are counted from the sizes of products, forward and backward, and assigned to modules."""

import pytest

import facula
import facula.nn.functional as F
from facula import nn
from facula.utils.flop_counter import FlopCounterMode
from facula_errors.testing import raises


def p(*shape):
    return facula.randn(*shape).requires_grad_()


def count(function, *operands):
    with FlopCounterMode(display=False) as forward:
        function(*operands)
    with FlopCounterMode(display=False) as both:
        function(*operands).sum().backward()
    return forward.get_total_flops(), both.get_total_flops()


LINEAR = 2 * 5 * 4 * 3


@pytest.mark.parametrize(
    ("function", "operands", "expected"),
    [
        (F.linear, (p(5, 4), p(3, 4), p(3)), (LINEAR, 3 * LINEAR)),
        (F.linear, (p(2, 5, 4), p(3, 4)), (2 * LINEAR, 6 * LINEAR)),
        (F.linear, (facula.ones(5, 4), p(3, 4)), (LINEAR, 2 * LINEAR)),
        (facula.mm, (p(5, 4), p(4, 3)), (LINEAR, 3 * LINEAR)),
        (facula.addmm, (p(3), p(5, 4), p(4, 3)), (LINEAR, 3 * LINEAR)),
        (facula.bmm, (p(2, 5, 4), p(2, 4, 3)), (2 * LINEAR, 6 * LINEAR)),
        (lambda a, b: facula.einsum("bij,bjk->bik", a, b), (p(2, 5, 4), p(2, 4, 3)), (2 * LINEAR, 6 * LINEAR)),
        (F.conv1d, (p(2, 3, 9), p(4, 3, 3), p(4)), (1008, 3024)),
        (F.conv3d, (p(2, 3, 5, 5, 5), p(4, 3, 3, 3, 3)), (34992, 104976)),
        (F.conv_transpose2d, (p(2, 3, 5, 5), p(3, 4, 3, 3)), (10800, 32400)),
        (lambda x, w: F.conv2d(x, w, None, 2, 1, 1, 2), (p(2, 4, 9, 9), p(4, 2, 3, 3)), (7200, 21600)),
        (F.scaled_dot_product_attention, (p(2, 3, 5, 4), p(2, 3, 6, 4), p(2, 3, 6, 7)), (3960, 13320)),
        (lambda x: nn.GRU(4, 3)(x)[0], (p(5, 2, 4),), (1260, 3780)),
        (lambda x: nn.GRU(4, 3)(x)[0], (facula.ones(5, 2, 4),), (1260, 3780 - 720)),
        (lambda x: (x * 2 + 1).exp(), (p(5, 4),), (0, 0)),
    ],
)
def test_products_are_counted(function, operands, expected):
    """Check that ungrouped products and convolutions give PyTorch's numbers; see the note of the module."""
    assert count(function, *operands) == expected


def test_modules_have_their_own_counts():
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Sequential(nn.Flatten(), nn.Linear(8 * 36, 10)))
    with FlopCounterMode(display=False, depth=3) as counter:
        net(facula.randn(2, 3, 8, 8)).sum().backward()
    counts = counter.get_flop_counts()
    assert {path: sum(one.values()) for path, one in counts.items()} == {
        "Global": 96768, "Sequential": 96768, "Sequential.0": 62208, "Sequential.2": 34560, "Sequential.2.1": 34560
    }  # fmt: skip
    assert counts["Sequential.0"] == {"conv2d": 31104, "conv2d_weight": 31104}
    assert counter.get_table().splitlines()[2].split() == ["Sequential", "96.768K", "100.00%"]
    assert "Sequential.2.1" in counter.get_table() and "Sequential.2.1" not in counter.get_table(2)


def test_entering_a_block_resets_the_count(capsys):
    counter, layer = FlopCounterMode(), nn.Linear(4, 3)
    for _ in range(2):
        with counter:
            layer(facula.ones(5, 4))
        assert counter.get_total_flops() == LINEAR
    layer(facula.ones(5, 4))
    assert counter.get_total_flops() == LINEAR and "Linear" in capsys.readouterr().out
    with pytest.raises(ZeroDivisionError), FlopCounterMode(display=False) as other:
        layer(facula.ones(5, 4))
        1 / 0
    layer(facula.ones(5, 4))
    assert other.get_total_flops() == LINEAR


def test_captured_functions_and_meta_tensors_are_counted():
    weight = p(3, 4)
    step = facula.capture(lambda x: F.linear(x, weight))
    for _ in range(4):
        step(facula.ones(5, 4))
    assert count(step, facula.ones(5, 4))[0] == LINEAR
    assert count(nn.Linear(4, 3, device="meta"), facula.empty(5, 4, device="meta"))[0] == LINEAR


def test_nested_blocks():
    with FlopCounterMode(display=False) as outer:
        facula.ones(5, 4) @ facula.ones(4, 3)
        with FlopCounterMode(display=False) as inner:
            facula.ones(5, 4) @ facula.ones(4, 3)
    assert (outer.get_total_flops(), inner.get_total_flops()) == (2 * LINEAR, LINEAR)


def test_unsupported_arguments_are_refused():
    with raises(NotImplementedError, "FlopCounterMode", "custom_mapping to be None"):
        FlopCounterMode(custom_mapping={"mm": len})
    with pytest.warns(UserWarning, match="mods is not needed"):
        FlopCounterMode(nn.Linear(1, 1))
