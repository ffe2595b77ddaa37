"""facula_autograd.graph: the recorded graph, what it saves, and who looks on.

Hooks and edges; modes that say where saved values wait for the backward pass; what a graph holds, as a table
(`report`) and as a picture (`to_dot`, `to_svg`).
"""

from __future__ import annotations

from facula_errors.extend import published

from ._disk import save_on_disk
from ._edges import GradientEdge, get_gradient_edge
from ._graph import Node
from ._graph_functions import increment_version
from ._modes import saved_tensors_hooks
from ._multi_hooks import register_multi_grad_hook
from ._picture import to_dot, to_svg
from ._report import Report, SavedRow, report
from ._saved_modes import allow_mutation_on_saved_tensors, disable_saved_tensors_hooks, save_on_cpu
from ._scopes import track_modules

__all__ = [
    "GradientEdge",
    "Node",
    "Report",
    "SavedRow",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "report",
    "save_on_cpu",
    "save_on_disk",
    "saved_tensors_hooks",
    "to_dot",
    "to_svg",
    "track_modules",
]


__dir__ = published(__name__)
