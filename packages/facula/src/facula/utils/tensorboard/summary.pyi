"""Names of PyTorch's torch.utils.tensorboard.summary, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.utils.tensorboard._summaries import hparams as hparams
