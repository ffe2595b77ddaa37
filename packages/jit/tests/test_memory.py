"""Placement of temporaries: simultaneous ones do not overlap, in little more memory than their peak."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facula_jit._recording import memory_planning
from facula_jit._recording.memory_planning import ALIGNMENT, Lifetime, place_lifetimes

lifetimes = st.lists(
    st.builds(
        lambda first, length, nbytes: Lifetime(first, first + length, nbytes),
        st.integers(0, 30), st.integers(0, 10), st.integers(0, 5000),
    ),
    max_size=40,
)  # fmt: skip


def peak_bytes(lives):
    """Return the peak of the bytes in use at one launch."""
    sizes = [max(-(-live.nbytes // ALIGNMENT), 1) * ALIGNMENT for live in lives]
    moments = range(max([live.last for live in lives], default=0) + 1)
    return max([sum(s for s, live in zip(sizes, lives) if live.first <= t <= live.last) for t in moments], default=0)


@pytest.mark.parametrize("most", [0, 1000])  # in the order of time only, or the best of several orders
@given(lives=lifetimes, thorough=st.booleans())
def test_nothing_overlaps(most, lives, thorough):
    before, memory_planning.MAX_COMPARED = memory_planning.MAX_COMPARED, most
    try:
        offsets, total = place_lifetimes(lives, thorough=thorough)
    finally:
        memory_planning.MAX_COMPARED = before
    for place, live in enumerate(lives):
        assert offsets[place] % ALIGNMENT == 0 and offsets[place] + live.nbytes <= total
        for other in range(place):
            if lives[other].first <= live.last and live.first <= lives[other].last:
                a, b = sorted((place, other), key=lambda k: offsets[k])
                assert offsets[a] + max(lives[a].nbytes, 1) <= offsets[b]
    assert peak_bytes(lives) == memory_planning.peak_bytes(lives) <= total


def test_networks_need_little_more_than_their_peak():
    """Activations of decreasing sizes that live until their backward pass, and the temporaries of each backward."""
    depth = 12
    forward = [Lifetime(k, 2 * depth - k, 64 * 2 ** (10 - k % 7)) for k in range(depth)]
    backward = [Lifetime(2 * depth - k, 2 * depth - k + 1, 64 * 2 ** (10 - k % 7)) for k in range(depth)]
    _, total = place_lifetimes([*forward, *backward])
    assert total <= 1.05 * peak_bytes([*forward, *backward])


def test_thorough_placement_improves_an_order():
    """The lifetimes of a small convolutional network's step, where largest-first leaves gaps."""
    lives = [
        (0, 24, 6144), (1, 23, 6144), (1, 24, 16), (4, 20, 1536), (4, 22, 3072), (5, 18, 768),
        (6, 17, 768), (8, 9, 768), (9, 14, 192), (10, 28, 240), (12, 15, 240), (13, 16, 192),
        (16, 18, 768), (18, 21, 768), (19, 22, 1536), (22, 24, 6144), (24, 26, 6144), (0, 0, 22400),
        (5, 5, 5760), (19, 19, 5760), (20, 20, 6912), (25, 25, 22592),
    ]  # fmt: skip
    lives = [Lifetime(*live) for live in lives]
    assert place_lifetimes(lives, thorough=True)[1] == peak_bytes(lives) < place_lifetimes(lives)[1]
