"""Calls of a user's `Function`, for transforms and captures that run one in their own way.

`record_call` creates the node of a call whose context was filled.
"""

from .._function.function_context import FunctionContext
from .._function.function_node import from_function, record_call

__all__ = [
    "FunctionContext",
    "from_function",
    "record_call",
]
