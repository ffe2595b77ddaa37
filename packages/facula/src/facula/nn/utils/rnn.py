"""Sequences of unequal lengths; the names of facula_nn.utils.rnn."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.utils.rnn"):
    from facula_nn.utils.rnn import *

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
    "pad_sequence", "unpack_sequence", "unpad_sequence",
]  # fmt: skip
