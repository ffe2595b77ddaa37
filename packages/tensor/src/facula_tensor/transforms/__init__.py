"""Transforms of functions: forward mode and gradients at levels of their own. See Note [Levels] in `_core/wrapped.py`.

What it is: `rules` (an operator's vjp rules, on values given by name), `grad` (the level of one gradient), `dual` (the
level of one forward mode).
May import: the floors below, and operators by name alone.
"""
