"""Names of PyTorch's torch.optim.adamw, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import AdamW as AdamW
