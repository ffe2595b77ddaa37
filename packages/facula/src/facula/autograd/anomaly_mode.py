"""Detection of NaN gradients, where programs for PyTorch look for it."""

from facula_autograd import detect_anomaly, set_detect_anomaly

from .._names import publish

__all__ = ["detect_anomaly", "set_detect_anomaly"]

publish(__name__)
