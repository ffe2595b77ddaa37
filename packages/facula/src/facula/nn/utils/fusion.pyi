"""Names of PyTorch's torch.nn.utils.fusion, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn.utils.fusion import fuse_conv_bn_eval as fuse_conv_bn_eval
from facula_nn.utils.fusion import fuse_conv_bn_weights as fuse_conv_bn_weights
from facula_nn.utils.fusion import fuse_linear_bn_eval as fuse_linear_bn_eval
from facula_nn.utils.fusion import fuse_linear_bn_weights as fuse_linear_bn_weights
