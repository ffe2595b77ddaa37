"""Names of PyTorch's torch.nn.modules.channelshuffle, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import ChannelShuffle as ChannelShuffle
