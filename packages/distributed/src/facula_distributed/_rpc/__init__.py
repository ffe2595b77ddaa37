"""Calls of functions on other ranks: messages in shared memory, a thread that receives them, and threads that run them.

Start at `agent.py`. May import: `_groups`, `_board`.
"""
