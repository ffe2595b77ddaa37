"""The templates of the fast path; `python -m facula_tensor._forms` writes `_forms/_dispatch/fast/` from them.

`template.py` has the parts that all paths share. The others have a class for each shape of call: `unary` (one operand;
two, elementwise; a number first), `pairs` (two operands with parameters; two results), `many` (three operands or more;
gradients, of which none is recorded), `inplace` (changes of the first operand). Nothing here is imported by operators.
"""

# Note [Fast path]
# ~~~~~~~~~~~~~~~~~
# A call looks up a plan, takes a block for the result, launches, and records a node where a gradient is wanted.
# Anything unexpected (an override, a scalar of another type, dtypes without a plan) ends in `slow_call`, which restarts
# the call from the beginning; nothing has any effect before the launch. A call to a shared function would cost a tenth
# of an operator, so each path has the shared parts written out. What looks odd was measured (benchmarks/hot_path.py):
# * Layout, storage and offset of all operands are loaded before anything is called; each address is
#   loaded once, with no call between that and the launch. A thread switch can happen at any call, and
#   another thread may give a storage another buffer.
# * A layout's `take_block` is the pop of a free list. An empty list raises IndexError, an exception costs
#   nothing until it happens. The release of the block goes into the slot `__del__`, a C callable.
# * A table without a plan (None is not callable) and an operand that is no tensor raise TypeError or AttributeError
#   before the launch has done anything; so does MemoryError. They are caught once, around everything (`MISSED`), and
#   said by `slow_call`. What is raised once a launch is done goes on: no call launches twice.
# * `guard` is a shared list, not empty while any thread is in a mode or the garbage collector runs (raw
#   functions look at the collector's alone). It is asked directly before a block is taken, with no call
#   between: during a collection blocks must come from `refill`. `break` leaves to `avoid`, outside the try.
# * Offsets count bytes, so that an address is one addition, left out for the many zeros.
# * Where operands are taken in a loop (`make_many`), layout, storage and offset of each are loaded together.
# * A new node's call site is a code object and an instruction, never a frame.
# * Two operands of the same layout object take a plan that fits any size (`dense`); all others one
#   that is found under both layouts.
# * What leaves by the slow path as an error leaves no frame of these files: Note [Trimming] in facula_errors.
# `record`, `checked` and `library_call` are constants of a closure: the same text gives the function users call,
# the one used while somebody else is in a mode, and the raw one that gradient rules call.

# Note [Epilogue]
# ~~~~~~~~~~~~~~~
# Every path that records ends alike. After the launch:
# 1. A Storage gets the block's address, its release and version 0; a Tensor its layout, storage and offset 0.
# 2. Where an operand has a node and the function records, a Node gets the rule (for unequal layouts the one that sums
#    gradients to the operands' shapes, for numbers that of numbers), the next sequence number, an edge for each
#    operand (a leaf itself), what the rules ask for, each with its version (an operand that is no leaf as `save_alias`
#    makes it, the result by its parts), layouts and parameters where rules ask for them, and the call site.
# 3. The differentiable results get the node last: nobody sees a tensor with half a node.
# The slow path (`slow_path/nodes.py`) does the same for every kind of call; besides, it packs saved tensors for hooks,
# takes the rules of complex numbers, and notes overrides. A test of invariants holds each path to what the slow path
# makes.
