"""Expressions of symbols: operators made of others become programs, and rules of gradients do, too.

`symbols` (a function of symbols is called once, and what it does is taken down), `partials` (derivatives of what was
taken down), `gradients` (an operator for the rule of an operand, so that a backward step is one launch).
"""
