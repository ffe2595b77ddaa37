"""Names for sibling packages beyond the public ones, for example to declare operators.

- `elementwise`, `operator` and `view` turn a declaration into functions; `composite` adds a function of operators.
- `no_record_ops` and `recorded_ops` are the two namespaces that vjp rules use.
- `sgd_step`, `adam_step` and the other names in `_step` are the steps of optimizers; `SgdNumbers`,
`AdamNumbers` and similar classes contain their numbers; `recurrent_layer` is one layer of an LSTM, GRU or RNN
over sequences.
- `counted_batch_norm` normalises batches and averages over all of them.
- `return_types` are the classes of named results.
- `standard_gamma` and `sample_dirichlet` draw samples with gradients; `gamma_share` is the gamma distribution
function.
- `overridable` lets subclasses that override operators intercept a composite function; in a block of
`disable_overrides` they are plain tensors. `make_overridable` does so for functions of a module, at no cost until
such a subclass has an instance.
- `snapshot` returns a tensor's state at one moment, `addressable` one with memory, `elements` one of a whole
batch, `elements_of` the tensor of a storage's elements; `overlapping` finds two of many tensors that share memory.
- `refuse_unless` raises if a tensor of bools contains False, and reads elements only in that case.
- `register_reductions` makes tensors sent to other processes share their memory.
- `relabel` replaces the name at the beginning of an error. `as_real`, `check_dim`, `reduction_of` and
`dtype_of_type` check
  arguments.
- `block_under` returns the memory that is pickled with a tensor, `attributes` the attributes that a user stored
on it, and `as_class` converts a tensor to an instance of a class with attributes.
- `Hooks` and `Handle` are the engine's table of hooks and the handle that removes one.
- `provide_scopes`, `enter_scope` and `leave_scope` notify the engine of module calls.
- `PyTorchNames` and `PAGE` are for errors about names of PyTorch, `table_sections` and `table_rows` read its
tables, `present` returns the names that `dir` shows for an object.
- `default_dtype_cell` is a list that contains the default dtype, `default_device_cell` one that contains the
CPU while it is the default device of all threads. `other_defaults` is not empty while a thread may have another
one.
- `collecting` is not empty while any thread captures, `current_recorder` returns this thread's recorder.
- `SavedTensors` contains the saved values of a node with many operands.
- `ACCESSORS` are the modules of the functions by which a program reads a tensor's shape.
- `user_site` is the program's line, as a code object and an instruction, `user_frame` the frame;
`forget_readers` makes the next read of an element notify a recorder.
- `take_apart` returns the leaves and the `Shape` of a tree of tuples, lists and dicts, `put_together` the tree;
`batches_of` the levels at which a tensor is batched; `in_transform` whether a transform is active.
- `operators_by_name` has the operators of `facula_tensor.library` by their qualified names.
- `Autocast` is the state of a block of mixed precision, `autocast_state` that of this thread; `watch_functions`
makes functions check for it.
"""

from typing import TYPE_CHECKING

from facula_autograd.extend import Handle, Hooks, enter_scope, leave_scope, provide_scopes
from facula_errors.extend import imported_later
from facula_storage.extend import collecting, current_recorder

from ._core.call_sites import ACCESSORS, user_frame, user_site
from ._core.default_device import default_device_cell, other_defaults
from ._core.errors import launch_error, relabel
from ._core.memory import overlapping
from ._core.names import PAGE, PyTorchNames, present, table_rows, table_sections
from ._core.promotion import _default as default_dtype_cell
from ._core.promotion import accumulating, as_real, floating
from ._core.tensor import addressable, check_dim, elements, layout_of_tensor, make, method, snapshot
from ._core.wrapped import batches_of, in_transform
from ._dispatch.autocast import Autocast, autocast_state
from ._dispatch.declaration import elementwise, operator, view
from ._dispatch.namespaces import composite, identity_grad, may_alias_grad, no_record_ops, operators, recorded_ops
from ._dispatch.operator import Operator
from ._dispatch.overrides import disable_overrides, overridable, plain_torch_function, watch_functions
from ._dispatch.rules.saved import SavedTensors
from ._dispatch.torch_function import make_overridable
from ._dispatch.value_checks import refuse_unless
from ._interop.export import forget_readers
from ._interop.pickling import as_class, attributes, block_under
from ._interop.shared_memory import register_reductions
from ._interop.typed import dtype_of_type
from ._interop.untyped_storage import elements_of
from .ops.random.sampling import gamma_share, sample_dirichlet, standard_gamma

if TYPE_CHECKING:  # loaded at first use; and types of arguments
    from facula_autograd.extend import Shape, put_together, take_apart

    from ._core.types import Data as Data
    from ._core.types import DeviceLike as DeviceLike
    from ._core.types import DTypeLike as DTypeLike
    from ._core.types import MemoryFormat as MemoryFormat
    from ._core.types import Scalar as Scalar
    from ._interop.repr import elements_as_text
    from .library._definition import operators_by_name
    from .ops.neural.batch_norm import counted_batch_norm
    from .ops.neural.losses.regression import reduction_of
    from .ops.neural.recurrent import recurrent_layer
    from .ops.optimizers.numbers import (
        AdadeltaNumbers,
        AdafactorNumbers,
        AdagradNumbers,
        AdamaxNumbers,
        AdamNumbers,
        AsgdNumbers,
        NadamNumbers,
        RadamNumbers,
        RmspropNumbers,
        RpropNumbers,
        SgdNumbers,
    )
    from .ops.optimizers.steps import (
        adadelta_step,
        adafactor_step,
        adafactor_vector_step,
        adagrad_step,
        adam_step,
        adamax_step,
        asgd_step,
        nadam_step,
        radam_step,
        rmsprop_centered_step,
        rmsprop_step,
        rprop_step,
        sgd_step,
    )
    from .ops.return_types import return_types

__all__ = [
    "ACCESSORS",
    "PAGE",
    "AdadeltaNumbers",
    "AdafactorNumbers",
    "AdagradNumbers",
    "AdamNumbers",
    "AdamaxNumbers",
    "AsgdNumbers",
    "Autocast",
    "Handle",
    "Hooks",
    "NadamNumbers",
    "Operator",
    "PyTorchNames",
    "RadamNumbers",
    "RmspropNumbers",
    "RpropNumbers",
    "SavedTensors",
    "SgdNumbers",
    "Shape",
    "accumulating",
    "adadelta_step",
    "adafactor_step",
    "adafactor_vector_step",
    "adagrad_step",
    "adam_step",
    "adamax_step",
    "addressable",
    "as_class",
    "as_real",
    "asgd_step",
    "attributes",
    "autocast_state",
    "batches_of",
    "block_under",
    "check_dim",
    "collecting",
    "composite",
    "counted_batch_norm",
    "current_recorder",
    "default_device_cell",
    "default_dtype_cell",
    "disable_overrides",
    "dtype_of_type",
    "elements",
    "elements_as_text",
    "elements_of",
    "elementwise",
    "enter_scope",
    "floating",
    "forget_readers",
    "gamma_share",
    "identity_grad",
    "in_transform",
    "launch_error",
    "layout_of_tensor",
    "leave_scope",
    "make",
    "make_overridable",
    "may_alias_grad",
    "method",
    "nadam_step",
    "no_record_ops",
    "operator",
    "operators",
    "operators_by_name",
    "other_defaults",
    "overlapping",
    "overridable",
    "plain_torch_function",
    "present",
    "provide_scopes",
    "put_together",
    "radam_step",
    "recorded_ops",
    "recurrent_layer",
    "reduction_of",
    "refuse_unless",
    "register_reductions",
    "relabel",
    "return_types",
    "rmsprop_centered_step",
    "rmsprop_step",
    "rprop_step",
    "sample_dirichlet",
    "sgd_step",
    "snapshot",
    "standard_gamma",
    "table_rows",
    "table_sections",
    "take_apart",
    "user_frame",
    "user_site",
    "view",
    "watch_functions",
]

# Families that most programs do not need are loaded when a sibling uses one, to make `import facula` faster.
__getattr__ = imported_later(
    __name__,
    {
        "facula_autograd.extend": ("Shape", "put_together", "take_apart"),
        "._interop.repr": ("elements_as_text",),
        ".library._definition": ("operators_by_name",),
        ".ops.neural.losses.regression": ("reduction_of",),
        ".ops.neural.batch_norm": ("counted_batch_norm",),
        ".ops.optimizers.numbers": tuple(name for name in __all__ if name.endswith("Numbers")),
        ".ops.optimizers.steps": tuple(name for name in __all__ if name.endswith("_step")),
        ".ops.neural.recurrent": ("recurrent_layer",),
        ".ops.return_types": ("return_types",),
    },
)

# Private attributes that siblings may use: on these paths a call would cost more than the work that it does.
SIBLING_ATTRIBUTES = {
    "_layout": "a tensor's Layout; written with `_storage` and `_offset`, with no call in between",
    "_storage": "a tensor's Storage; only the owner of a tensor that no program has yet may write it",
    "_offset": "the position of a tensor's first element, in bytes; of a Generator: the count of numbers drawn",
    "_key": "the seed of a Generator; captures restore it, with `_offset`",
    "_own_attributes": "the dict of the attributes that a program set on a tensor, None before the first; read only",
    "_viewed": "the tensor that a new view is one of; set once, by the code that makes the view",
    "_version": "the number of in-place changes, None for read-only memory; read only, a name of PyTorch's",
}
