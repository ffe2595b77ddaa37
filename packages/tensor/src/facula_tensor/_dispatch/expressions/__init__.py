"""Symbolic expressions: turn composite operators and gradient rules into programs.

`symbols` traces a function by calling it once with symbols, `partials` differentiates a trace, and `gradients`
makes an operator from the rule of an operand, so that a backward step is one launch. Where it cannot be one launch,
`evaluation` calls the operators of the trace one by one.
"""
