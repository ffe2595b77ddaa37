"""Arguments of function transforms: the checks of `func`, `argnums` and `has_aux`, and trees.

`take_apart` returns the leaves and the `Shape` of a tree of tuples, lists and dicts; `put_together` rebuilds the tree.
`leaves_like` returns the leaves of another tree with that shape. A `Call` is a call
of a differentiated function; `gradient_function` and `value_and_pull` are the transforms on it.
"""

from __future__ import annotations

from facula_errors.extend import imported_later

from .._func_arguments import check_callable, pair_of, per_argument, places_of, with_arguments
from .._trees import LEAF_SHAPE, Shape, leaves_like, put_together, take_apart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._func_arguments import Argnums as Argnums
    from .._func_call import Call, gradient_function, named_like, value_and_pull

__all__ = [
    "LEAF_SHAPE",
    "Call",
    "Shape",
    "check_callable",
    "gradient_function",
    "leaves_like",
    "named_like",
    "pair_of",
    "per_argument",
    "places_of",
    "put_together",
    "take_apart",
    "value_and_pull",
    "with_arguments",
]

__getattr__ = imported_later(__name__, {".._func_call": ("Call", "gradient_function", "named_like", "value_and_pull")})
