"""Names of PyTorch's torch.nn.modules.rnn, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import GRU as GRU
from facula_nn import GRUCell as GRUCell
from facula_nn import LSTM as LSTM
from facula_nn import LSTMCell as LSTMCell
from facula_nn import RNN as RNN
from facula_nn import RNNBase as RNNBase
from facula_nn import RNNCell as RNNCell
from facula_nn import RNNCellBase as RNNCellBase
