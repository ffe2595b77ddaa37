"""Names of PyTorch's torch.nn.utils.rnn, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn.utils.rnn import PackedSequence as PackedSequence
from facula_nn.utils.rnn import invert_permutation as invert_permutation
from facula_nn.utils.rnn import pack_padded_sequence as pack_padded_sequence
from facula_nn.utils.rnn import pack_sequence as pack_sequence
from facula_nn.utils.rnn import pad_packed_sequence as pad_packed_sequence
from facula_nn.utils.rnn import pad_sequence as pad_sequence
from facula_nn.utils.rnn import unpack_sequence as unpack_sequence
from facula_nn.utils.rnn import unpad_sequence as unpad_sequence
