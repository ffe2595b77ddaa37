"""The fast path: one file for each shape of call. Note [Fast path] in `unary.py` says what was measured.

`unary` (one operand; two, elementwise; a number first), `two_operands` (with parameters), `two_results`, `many` (three
operands or more), `elementwise` (gradients, of which none is recorded), `inplace` (changes of the first operand).
"""

# Note [Epilogue]
# ~~~~~~~~~~~~~~~
# Every path ends alike, and the lines stand in each, since a call would cost a tenth of an operator. After the launch:
# 1. A Storage gets the block's address, its release and version 0; a Tensor its layout, storage and offset 0.
# 2. Where an operand has a node and the function records, a Node gets the rule (for unequal layouts the one that sums
#    gradients to the operands' shapes, for numbers that of numbers), the next sequence number, an edge for each
#    operand (a leaf itself), what the rules ask for, each with its version (operands by `save_alias`, the result by
#    its parts), layouts and parameters where rules ask for them, and the call site.
# 3. The differentiable results get the node last: nobody sees a tensor with half a node.
# The slow path (`nodes.py`) does the same for every kind of call; besides, it packs saved tensors for hooks, takes the
# rules of complex numbers, and notes overrides. A test of invariants holds each path to what the slow path makes.
