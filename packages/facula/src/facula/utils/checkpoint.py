"""facula.utils.checkpoint: less memory for more time. The names of facula_autograd."""

from facula_autograd import checkpoint

__all__ = ["checkpoint"]
