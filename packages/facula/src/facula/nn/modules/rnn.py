"""Layers over sequences, where programs for PyTorch look for them."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.rnn"):
    from facula_nn.layers.recurrent import *
    from facula_nn.layers.recurrent_cells import *

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]
