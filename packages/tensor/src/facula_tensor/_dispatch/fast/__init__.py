"""The templates of the fast path; `python -m facula_tensor._forms` writes `_forms/_dispatch/fast/` from them.

`template.py` has the parts that all paths share. The others have a class for each shape of call: `unary` (one operand;
two, elementwise; a number first), `pairs` (two operands with parameters; two results), `many` (three operands or more;
gradients, of which none is recorded), `inplace` (changes of the first operand). Operators do not import these
modules.
"""

# Note [Fast path]
# ~~~~~~~~~~~~~~~~~
# A call looks up a plan, takes a block for the result, launches, and records a node if a gradient is needed.
# Anything unexpected (an override, a scalar of another type, dtypes without a plan) falls back to `slow_call`,
# which restarts the call; steps before the launch have no side effects. A call to a shared function would cost
# a tenth of an operator, so the shared parts are inlined in each path. Benchmarks (benchmarks/operators/hot_path.py)
# justify the unusual choices:
# * Layout, storage and offset of all operands are loaded before anything is called; each address is
#   loaded once, with no call between that and the launch. A thread switch can happen at any call, and
#   another thread may give a storage another buffer.
# * A layout's `take_block` is the pop of a free list. An empty list raises IndexError, an exception costs
#   nothing until it happens. The release of the block goes into the slot `__del__`, a C callable.
# * A missing plan (None is not callable) and an operand that is not a tensor raise TypeError or AttributeError
# before the launch has any effect; so does MemoryError. One `except` around the whole attempt (`MISSED`)
# catches them, and `slow_call` reports them. Exceptions after the launch propagate, so that a call never
# launches twice.
# * `guard` is a shared list, not empty while any thread is in a mode or the garbage collector runs (raw
# functions look at the collector's alone). It is checked directly before a block is taken, with no call
# between: during a collection blocks must come from `refill`. `break` leaves to `avoid`, outside the try.
# * Offsets count bytes, so that an address is one addition, left out for the many zeros.
# * Where operands are taken in a loop (`make_many`), layout, storage and offset of each are loaded together.
# * A new node's call site is a code object and an instruction, never a frame.
# * Two operands with the same layout object use a plan for any size (`dense`); all others use a plan stored
# under both layouts.
# * Errors raised in the slow path contain no frames of these files: Note [Trimming] in facula_errors.
# `record`, `checked` and `library_call` are constants of a closure: the same source produces the public
# function, the one used while another thread is in a mode, and the raw one that gradient rules call.

# Note [Epilogue]
# ~~~~~~~~~~~~~~~
# Every path that records ends with the same steps after the launch:
# 1. A Storage gets the block's address, its release and version 0; a Tensor its layout, storage and offset 0.
# 2. If an operand has a node and the function records, a Node gets the rule (for unequal layouts the one that sums
#    gradients to the operands' shapes, for numbers that of numbers), the next sequence number, an edge for each
# operand (a leaf itself), the values that the rules read, each with its version (an operand that is not a leaf
# as a `save_alias`, the result by its parts), layouts and parameters if rules read them, and the call site.
# 3. The differentiable results get the node last, so that an incomplete node is never visible.
# The slow path (`slow_path/nodes.py`) does the same for every call. It also packs saved tensors for hooks,
# selects the rules for complex numbers, and records overrides. An invariant test compares each path's node with
# the slow path's.
