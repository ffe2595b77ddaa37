"""facula.autograd.graph: the recorded graph, and what it saves. The names of facula_autograd.graph."""

from facula_autograd.graph import (
    GradientEdge,
    Node,
    Report,
    SavedRow,
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    get_gradient_edge,
    increment_version,
    register_multi_grad_hook,
    report,
    save_on_cpu,
    save_on_disk,
    saved_tensors_hooks,
    to_dot,
    to_svg,
    track_modules,
)

from .._names import publish

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

publish(__name__)
