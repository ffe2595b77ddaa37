"""Names of PyTorch's torch.nn.modules.dropout, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import AlphaDropout as AlphaDropout
from facula_nn import Dropout as Dropout
from facula_nn import Dropout as _own_Dropout
from facula_nn import Dropout1d as Dropout1d
from facula_nn import Dropout2d as Dropout2d
from facula_nn import Dropout3d as Dropout3d
from facula_nn import FeatureAlphaDropout as FeatureAlphaDropout

_DropoutNd = _own_Dropout
