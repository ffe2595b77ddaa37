"""Helpers for tests of PyTorch's files."""

import io

import torch

import facula


def library_of(value):
    return torch if isinstance(value, (torch.nn.Module, torch.optim.Optimizer, torch.Tensor)) else facula


def saved(library, value):
    file = io.BytesIO()
    library.save(value, file)
    file.seek(0)
    return file
