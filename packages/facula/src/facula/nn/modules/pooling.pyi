"""Names of PyTorch's torch.nn.modules.pooling, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from facula_nn import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from facula_nn import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from facula_nn import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from facula_nn import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from facula_nn import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from facula_nn import AvgPool1d as AvgPool1d
from facula_nn import AvgPool2d as AvgPool2d
from facula_nn import AvgPool3d as AvgPool3d
from facula_nn import FractionalMaxPool2d as FractionalMaxPool2d
from facula_nn import FractionalMaxPool3d as FractionalMaxPool3d
from facula_nn import LPPool1d as LPPool1d
from facula_nn import LPPool2d as LPPool2d
from facula_nn import LPPool3d as LPPool3d
from facula_nn import MaxPool1d as MaxPool1d
from facula_nn import MaxPool2d as MaxPool2d
from facula_nn import MaxPool3d as MaxPool3d
from facula_nn import MaxUnpool1d as MaxUnpool1d
from facula_nn import MaxUnpool2d as MaxUnpool2d
from facula_nn import MaxUnpool3d as MaxUnpool3d
