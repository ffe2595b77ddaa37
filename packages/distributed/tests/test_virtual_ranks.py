"""Virtual ranks: the same bits for each number of ranks."""

import hashlib

import pytest

import facula_distributed as dist
from facula_distributed._parallel.virtual import VirtualRanks
from facula_distributed.testing import run
from facula_tensor import manual_seed, no_grad, rand, randn, zeros

COUNT, SAMPLES = 8, 32


def train(rank, size):
    """Return a digest of parameters after some steps with dropout, and with a parameter that no step uses."""
    manual_seed(7)
    first, second, unused = randn(10, 20), randn(20, 3), zeros(2)
    parameters = [one.requires_grad_() for one in (first, second, unused)]
    virtual = VirtualRanks(parameters, COUNT, dist.group.WORLD)
    inputs, targets = randn(6, SAMPLES, 10), randn(6, SAMPLES, 3)
    own = slice(rank * SAMPLES // size, (rank + 1) * SAMPLES // size)
    for step in range(6):
        for x, y in virtual.micro_batches(inputs[step, own], targets[step, own]):
            assert len(x) == SAMPLES // COUNT
            hidden = (x @ first).relu() * (rand(len(x), 20) > 0.3)
            ((hidden @ second - y) ** 2).mean().backward()
        assert unused.grad is None
        with no_grad():
            for one in parameters[:2]:
                one -= 0.05 * one.grad
                one.grad = None
    digest = hashlib.sha256(repr([one.tolist() for one in parameters]).encode()).hexdigest()
    return digest, first.mean().item()


def test_bits_are_equal_on_one_two_four_and_eight_ranks():
    found = {result for size in (1, 2, 4, 8) for result in run(size, train, size)}
    assert len(found) == 1


def test_the_average_is_that_of_the_whole_batch_and_is_added():
    weight = randn(5).requires_grad_()
    x = randn(16, 5)
    (x @ weight).mean().backward()
    expected = weight.grad
    weight.grad = expected.clone()
    for part in VirtualRanks([weight], 4, None).micro_batches(x):
        (part @ weight).mean().backward()
    assert (weight.grad - 2 * expected).abs().max().item() < 1e-6


@pytest.mark.parametrize("count", [0, 3, 6])
def test_numbers_that_are_no_powers_of_two_are_refused(count):
    with pytest.raises(ValueError, match=rf"expected a power of two.* got virtual_ranks={count} for 1 ranks"):
        VirtualRanks([], count, None)


def test_batches_that_cannot_be_divided_are_refused():
    weight = zeros(1).requires_grad_()
    with pytest.raises(ValueError, match=r"expected a multiple of 4 samples, .* got 6"):
        next(VirtualRanks([weight], 4, None).micro_batches(zeros(6)))
