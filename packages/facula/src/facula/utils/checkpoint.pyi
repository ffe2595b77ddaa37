"""Names of PyTorch's torch.utils.checkpoint, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_autograd import CheckpointError as CheckpointError
from facula_autograd import CheckpointPolicy as CheckpointPolicy
from facula_autograd import SAC_IGNORED_OPS as SAC_IGNORED_OPS
from facula_autograd import SelectiveCheckpointContext as SelectiveCheckpointContext
from facula_autograd import checkpoint as checkpoint
from facula_autograd import checkpoint_sequential as checkpoint_sequential
from facula_autograd import create_selective_checkpoint_contexts as create_selective_checkpoint_contexts
from facula_autograd import noop_context_fn as noop_context_fn
from facula_autograd import set_checkpoint_debug_enabled as set_checkpoint_debug_enabled
from facula_autograd import set_checkpoint_early_stop as set_checkpoint_early_stop
