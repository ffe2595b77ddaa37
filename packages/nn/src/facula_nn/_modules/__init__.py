"""What a module is: its members, calls and hooks, and the states that it gives and takes.

In order of use: `members` and `tree` (parts under names), `uninitialized`, `hooks`, `places` (which layer failed),
`state` (state dicts), `html`, `module` (`Module` and its calls), `scopes`, `containers`; `layer` makes constructors.
"""

from . import scopes as scopes  # connects calls of modules with the graph
