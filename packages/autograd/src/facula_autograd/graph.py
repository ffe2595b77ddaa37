"""facula_autograd.graph: the recorded graph, its saved values, and hooks that observe it.

It contains hooks and edges, modes that control where saved values are kept until the backward pass, and reports on a
graph's memory as a table (`report`) and as a picture (`to_dot`, `to_svg`).
"""

from __future__ import annotations

from facula_errors.extend import published

from ._engine.multi_grad_hooks import register_multi_grad_hook
from ._graph.gradient_edge import GradientEdge, get_gradient_edge
from ._graph.node import Node
from ._graph.scopes import track_modules
from ._modes.grad_mode import saved_tensors_hooks
from ._reports.picture import to_dot, to_svg
from ._reports.report import Report, SavedRow, report
from ._saved_values.disk import save_on_disk
from ._saved_values.saved_tensor_modes import allow_mutation_on_saved_tensors, disable_saved_tensors_hooks, save_on_cpu
from ._saved_values.versions import increment_version

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
