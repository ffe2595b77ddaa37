"""Names of PyTorch's torch.autograd.anomaly_mode, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_autograd import detect_anomaly as detect_anomaly
from facula_autograd import set_detect_anomaly as set_detect_anomaly
