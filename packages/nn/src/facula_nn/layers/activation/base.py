"""The base class of activations whose only option is `inplace`."""

from __future__ import annotations

from ..._modules.layer import layer
from ..._modules.module import Module


@layer
class OnlyInplace(Module):
    """Base class of activations with no other options."""

    inplace: bool = False
