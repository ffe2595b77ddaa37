"""Names of PyTorch's torch.nn.modules.loss, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import BCELoss as BCELoss
from facula_nn import BCEWithLogitsLoss as BCEWithLogitsLoss
from facula_nn import CTCLoss as CTCLoss
from facula_nn import CosineEmbeddingLoss as CosineEmbeddingLoss
from facula_nn import CrossEntropyLoss as CrossEntropyLoss
from facula_nn import GaussianNLLLoss as GaussianNLLLoss
from facula_nn import HingeEmbeddingLoss as HingeEmbeddingLoss
from facula_nn import HuberLoss as HuberLoss
from facula_nn import KLDivLoss as KLDivLoss
from facula_nn import L1Loss as L1Loss
from facula_nn import MSELoss as MSELoss
from facula_nn import MarginRankingLoss as MarginRankingLoss
from facula_nn import MultiLabelMarginLoss as MultiLabelMarginLoss
from facula_nn import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from facula_nn import MultiMarginLoss as MultiMarginLoss
from facula_nn import NLLLoss as NLLLoss
from facula_nn import NLLLoss2d as NLLLoss2d
from facula_nn import PoissonNLLLoss as PoissonNLLLoss
from facula_nn import SmoothL1Loss as SmoothL1Loss
from facula_nn import SoftMarginLoss as SoftMarginLoss
from facula_nn import TripletMarginLoss as TripletMarginLoss
from facula_nn import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from facula_nn.extend import Loss as _own_Loss
from facula_nn.extend import WeightedLoss as _own_WeightedLoss

_Loss = _own_Loss
_WeightedLoss = _own_WeightedLoss
