"""Channels in another order, where programs for PyTorch look for it."""

from ..._siblings import needs

with needs("facula.nn.modules.channelshuffle"):
    from facula_nn.layers.pixels import ChannelShuffle

__all__ = ["ChannelShuffle"]
