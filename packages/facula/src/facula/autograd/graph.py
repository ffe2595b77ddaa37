"""facula.autograd.graph: the recorded graph, and what it saves. The names of facula_autograd."""

from facula_autograd import saved_tensors_hooks
from facula_autograd.extend import Node

__all__ = ["Node", "saved_tensors_hooks"]
