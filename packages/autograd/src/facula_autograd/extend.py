"""Extension interface for packages that define differentiable values, in addition to the public names.

- Subclass `Value`; every constructor sets `node`. `register_adapter` an `Adapter` for the class.
- Write one `Rule` for each operator. An operator records when an input has a `node`, and `active_modes` is empty or
  `current_mode().grad` is true. It creates the output's node with `record` (or the same lines inline), stores edges
  (`edge_to`) in `e0` and `e1`, and saved values in `s0` and `s1` with their versions in `v0` and `v1`. Additional edges
  may be stored anywhere, with `Rule.edges` to find them.
- The rule checks saved values with `check_saved`, or compares versions and calls `raise_mutated`.
- For several differentiable outputs: `record_many`, or `output_node` for each. If only one output is differentiable,
  call `record` on that one.
- If `current_mode().saved_hooks` is not None, the operator ends with `pack_saved(node, hooks, TheValueClass)`. For
  values saved outside `s0` and `s1`: `pack_value`, and `unpack_with` with a function that reverses it.
- If its adapter's `context()` is not None, the operator ends with `set_context(node, context)`.
- A package with modules calls `provide_scopes`, and `enter_scope` and `leave_scope` around their calls (Note [Scopes]).
- `want_scopes`, a mode with `scopes=True` and `Scopes` find the module of a node; `running_node` is the node whose rule
  this thread executes.
- An in-place operator that gave its operand a new node calls `move_hooks(operand, former_node)`.
- `as_dot` and `as_svg` draw `Box`es, as pictures of graphs do.
- `set_lasting` changes the mode in the same way as a call of `set_grad_enabled`.
- `walk` yields the nodes of a graph.
- Function transforms share the checks of `func`, `argnums` and `has_aux`. `take_apart` returns the leaves and the
  `Shape` of a tree of tuples, lists and dicts; `put_together` rebuilds the tree. `leaves_like` returns the leaves of
  another tree with that shape.
- `gradients_at` runs a backward pass and returns its gradients; `record_call` creates the node of a Function's call
  whose context was filled.
- `Call` is a call of a differentiated function; `gradient_function` and `value_and_pull` are the transforms on it.

`Variable`, in this package, is an example.
"""

from __future__ import annotations

from facula_errors.extend import imported_later

from ._adapters import Adapter, adapter_of, reduces_to, register_adapter
from ._engine.backward import gradients_at
from ._engine.engine import running_node, walk
from ._function.function_context import FunctionContext
from ._function.function_node import from_function, record_call
from ._function.outputs import OUTPUT, Gradients, output_node, record_many
from ._graph.handles import Handle, Hooks
from ._graph.hooks import WrappedRule, move_hooks, set_context
from ._graph.node import (
    LEAF,
    Node,
    Rule,
    copy_node,
    describe_call_site,
    edge_to,
    edges_of,
    error_node,
    next_seq,
    record,
)
from ._graph.scopes import Scopes, enter_scope, leave_scope, provide_scopes, want_scopes
from ._modes.context_managers import replace_mode
from ._modes.decorate import decorate
from ._modes.mode_state import DEFAULT, Mode, active_modes, current_mode, passive_modes, set_lasting
from ._reports.drawing import Box, as_dot, as_svg
from ._saved_values.packing import Packed, pack_saved, pack_value, unpack_value, unpack_with
from ._saved_values.versions import check_saved, raise_mutated
from ._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._func_arguments import Argnums as Argnums
    from ._func_arguments import check_callable, pair_of, per_argument, places_of, with_arguments
    from ._func_call import Call, gradient_function, named_like, value_and_pull
    from ._trees import LEAF_SHAPE, Shape, leaves_like, put_together, take_apart

__all__ = [
    "DEFAULT",
    "LEAF",
    "LEAF_SHAPE",
    "OUTPUT",
    "Adapter",
    "Box",
    "Call",
    "FunctionContext",
    "Gradients",
    "Handle",
    "Hooks",
    "Mode",
    "Node",
    "Packed",
    "Rule",
    "Scopes",
    "Shape",
    "Value",
    "WrappedRule",
    "active_modes",
    "adapter_of",
    "as_dot",
    "as_svg",
    "check_callable",
    "check_saved",
    "copy_node",
    "current_mode",
    "decorate",
    "describe_call_site",
    "edge_to",
    "edges_of",
    "enter_scope",
    "error_node",
    "from_function",
    "gradient_function",
    "gradients_at",
    "leave_scope",
    "leaves_like",
    "move_hooks",
    "named_like",
    "next_seq",
    "output_node",
    "pack_saved",
    "pack_value",
    "pair_of",
    "passive_modes",
    "per_argument",
    "places_of",
    "provide_scopes",
    "put_together",
    "raise_mutated",
    "record",
    "record_call",
    "record_many",
    "reduces_to",
    "register_adapter",
    "replace_mode",
    "running_node",
    "set_context",
    "set_lasting",
    "take_apart",
    "unpack_value",
    "unpack_with",
    "value_and_pull",
    "walk",
    "want_scopes",
    "with_arguments",
]

# Most programs transform no functions: `import facula` is quicker for it.
__getattr__ = imported_later(
    __name__,
    {
        "._func_arguments": ("check_callable", "pair_of", "per_argument", "places_of", "with_arguments"),
        "._func_call": ("Call", "gradient_function", "named_like", "value_and_pull"),
        "._trees": ("LEAF_SHAPE", "Shape", "leaves_like", "put_together", "take_apart"),
    },
)

# Private attributes that packages with values of their own may use.
SIBLING_ATTRIBUTES = {
    "_grad": "a leaf's gradient, which `grad` returns: a subclass of `Value` copies it, captures exchange it",
    # Programs may set any attribute on a FunctionContext, so that its own have an underscore. Function transforms and
    # declared operators fill contexts and read them:
    "_to_save": "the arguments of `save_for_backward`, until `_keep`",
    "_keep": "converts the saved values to the form that a node may keep",
    "_dirty": "the arguments of `mark_dirty`; read only",
    "_non_differentiable": "the arguments of `mark_non_differentiable`; read only",
    "_materialize": "the argument of `set_materialize_grads`; read only",
    "_in_forward_mode": "True while `jvp` runs, so that `saved_tensors` returns the values of `save_for_forward`",
}
