"""facula.utils.checkpoint: less memory for more time. The names of facula_autograd."""

from facula_autograd import checkpoint, checkpoint_sequential

__all__ = ["checkpoint", "checkpoint_sequential"]
