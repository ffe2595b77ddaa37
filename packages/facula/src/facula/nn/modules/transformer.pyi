"""Names of PyTorch's torch.nn.modules.transformer, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import Transformer as Transformer
from facula_nn import TransformerDecoder as TransformerDecoder
from facula_nn import TransformerDecoderLayer as TransformerDecoderLayer
from facula_nn import TransformerEncoder as TransformerEncoder
from facula_nn import TransformerEncoderLayer as TransformerEncoderLayer
from facula_nn.extend import activation_named as _own_activation_named

_get_activation_fn = _own_activation_named
