"""`import facula.as_torch`, in a program's or notebook's first line: from then on `import torch` gives facula.

So it is in the whole process, and in those that multiprocessing starts. ImportError where torch is loaded already.
"""

from __future__ import annotations

from ._interop.aliases import begin
from ._lookup.names import publish

__all__: list[str] = []

publish(__name__)
begin("facula.as_torch")
