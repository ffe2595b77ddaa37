"""Interoperation with programs and packages written for PyTorch: `import torch`, einops, torchvision and tqdm."""
