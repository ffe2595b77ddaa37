"""Operator dispatch: the steps of an operator call.

    declaration ──▶ operator ──▶ rules (vjp rules of nodes)
         │
         ▼
       fast/  ──not as expected──▶  slow_path: operands ──▶ planning ──▶ launching ──▶ nodes

A declaration becomes an `Operator` and its functions. `fast/` is the path of nearly every call: templates,
expanded in `_forms/_dispatch/fast/`. `slow_path/` restarts a call from the beginning, including in-place
changes; `rules/` has vjp rules and saved values, `expressions/` operators that are written in others;
`view_call` is the path of views; `overrides` and `autocast` may intercept calls.
May import: `_core`.
Where next: `../_forms/_dispatch/fast/unary.py`, then `slow_path/slow_call.py`; docs/explanation/architecture.md.
"""
