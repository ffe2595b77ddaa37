"""Names of PyTorch's torch.nn.modules.adaptive, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
