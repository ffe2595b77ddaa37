"""The fast path: one file for each shape of call. Note [Fast path] in `unary.py` says what was measured.

`unary` (one operand; two, elementwise; a number first), `two_operands` (with parameters), `two_results`, `many` (three
operands or more), `inplace` (changes of the first operand).
"""
