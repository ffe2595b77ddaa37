"""The base class `Module`: members, calls, hooks and state dicts.

In order of use: `members` and `tree` (named members), `uninitialized`, `hooks`, `places` (the failing layer's path),
`state` (state dicts), `html`, `module` (`Module` and its calls), `scopes`, `containers`; `layer` builds constructors.
"""

from . import scopes as scopes  # records module calls as scopes of the graph
