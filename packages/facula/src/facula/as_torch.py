"""`import facula.as_torch` as a program's or notebook's first line makes `import torch` load facula from then on.

It applies to the whole process, and to multiprocessing's children. ImportError if torch is already loaded.
"""

from __future__ import annotations

from ._interop.aliases import begin
from ._lookup.names import publish

__all__: list[str] = []

publish(__name__)
begin("facula.as_torch")
