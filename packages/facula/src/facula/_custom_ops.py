"""facula._custom_ops: a former place of `torch.library`, which torchvision asks."""

from ._names import publish
from .library import get_ctx

__all__ = ["get_ctx"]

publish(__name__)
