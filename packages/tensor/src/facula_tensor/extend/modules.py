"""Support for modules: tables of hooks, scopes, and layers that are one operator.

- `Hooks` and `Handle` are the engine's table of hooks and the handle that removes one.
- `provide_scopes`, `enter_scope` and `leave_scope` notify the engine of module calls.
- `set_gradient_home` chooses the memory of a parameter's gradient; `after_backward` calls a function when the backward
  pass ends.
- `recurrent_layer` is one layer of an LSTM, GRU or RNN over sequences; `counted_batch_norm` normalises batches and
  averages over all of them; `batch_norm_gradients` returns the gradients of input, weight and bias.
"""

from facula_autograd.extend.graphs import enter_scope, leave_scope, provide_scopes
from facula_autograd.extend.hooks import Handle, Hooks, after_backward, set_gradient_home
from facula_errors.extend import imported_later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..ops.neural.batch_norm import batch_norm_gradients, counted_batch_norm
    from ..ops.neural.recurrent import recurrent_layer

__all__ = [
    "Handle",
    "Hooks",
    "after_backward",
    "batch_norm_gradients",
    "counted_batch_norm",
    "enter_scope",
    "leave_scope",
    "provide_scopes",
    "recurrent_layer",
    "set_gradient_home",
]

__getattr__ = imported_later(
    __name__,
    {
        "..ops.neural.batch_norm": ("batch_norm_gradients", "counted_batch_norm"),
        "..ops.neural.recurrent": ("recurrent_layer",),
    },
)
