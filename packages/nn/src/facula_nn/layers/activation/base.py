"""The base of nonlinearities whose only option is `inplace`."""

from __future__ import annotations

from ..._modules.layer import layer
from ..._modules.module import Module


@layer
class OnlyInplace(Module):
    """Layers without other options."""

    inplace: bool = False
