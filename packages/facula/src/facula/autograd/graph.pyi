"""Names of PyTorch's torch.autograd.graph, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_autograd import saved_tensors_hooks as saved_tensors_hooks
from facula_autograd.graph import GradientEdge as GradientEdge
from facula_autograd.graph import Node as Node
from facula_autograd.graph import Report as Report
from facula_autograd.graph import SavedRow as SavedRow
from facula_autograd.graph import allow_mutation_on_saved_tensors as allow_mutation_on_saved_tensors
from facula_autograd.graph import disable_saved_tensors_hooks as disable_saved_tensors_hooks
from facula_autograd.graph import get_gradient_edge as get_gradient_edge
from facula_autograd.graph import increment_version as increment_version
from facula_autograd.graph import register_multi_grad_hook as register_multi_grad_hook
from facula_autograd.graph import report as report
from facula_autograd.graph import save_on_cpu as save_on_cpu
from facula_autograd.graph import save_on_disk as save_on_disk
from facula_autograd.graph import to_dot as to_dot
from facula_autograd.graph import to_svg as to_svg
from facula_autograd.graph import track_modules as track_modules
