"""The loader, where programs for PyTorch look for it."""

from . import DataLoader, default_collate, default_convert

__all__ = ["DataLoader", "default_collate", "default_convert"]
