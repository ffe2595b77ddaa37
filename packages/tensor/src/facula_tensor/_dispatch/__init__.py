"""The first floor: what a call of an operator does.

    declaration ──▶ operator ──▶ rules (vjp rules of nodes)
         │
         ▼
       fast/  ──not as expected──▶  slow_path: operands ──▶ planning ──▶ launching ──▶ nodes

What it is: a declaration becomes an `Operator` and its functions. `fast/` is the path of nearly every call: templates,
written out in `_forms/_dispatch/fast/`. `slow_path/` starts a call from the beginning, changes in place and
of views too; `rules/` has vjp rules and what nodes save, `expressions/` operators that are written in others;
`view_call` is the path of views; `overrides` and `autocast` are what may stand between.
May import: `_core`.
Where next: `../_forms/_dispatch/fast/unary.py`, then `slow_path/slow_call.py`; docs/architecture.md follows a call.
"""
