"""Losses, where programs for PyTorch look for them."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.loss"):
    from facula_nn.extend import Loss as _Loss  # noqa: F401  PyTorch's name
    from facula_nn.extend import WeightedLoss as _WeightedLoss  # noqa: F401
    from facula_nn.layers.likelihood_loss import *
    from facula_nn.layers.loss import *
    from facula_nn.layers.margin_loss import *
    from facula_nn.layers.sequence_loss import *

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss",
    "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "MSELoss", "MarginRankingLoss", "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "SmoothL1Loss",
    "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
]  # fmt: skip
