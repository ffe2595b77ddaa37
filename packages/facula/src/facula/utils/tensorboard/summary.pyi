"""Names of PyTorch's torch.utils.tensorboard.summary, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

hparams: _Refusal
