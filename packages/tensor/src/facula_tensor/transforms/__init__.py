"""Transforms of functions, each at a separate level: see Note [Levels] in `_core/wrapped.py`.

Contents: `rules` (an operator's vjp rules with named values), `grad` (the level of one gradient), `dual` (the level of
one forward mode).
May import: the earlier layers, and operators only by name.
"""
