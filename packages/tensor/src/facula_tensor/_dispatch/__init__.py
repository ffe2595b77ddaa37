"""The first floor: what a call of an operator does.

    declaration ──▶ operator ──▶ rules (vjp rules of nodes)
         │
         ▼
       fast/  ──not as expected──▶  slow_path: operands ──▶ planning ──▶ launching ──▶ nodes

What it is: a declaration becomes an `Operator` and its functions. `fast/` is the path of nearly every call: templates,
written out in `_forms/_dispatch/fast/`. `slow_path` starts a call from the beginning, `inplace` likewise for changes
in place; `view_call` and `view_changes` are for views; `modes`, `overrides` and `autocast` are what may stand between;
`saved` is what nodes keep.
May import: `_core`.
Where next: `../_forms/_dispatch/fast/unary.py`, then `slow_path.py`; docs/architecture.md walks through a call.
"""
