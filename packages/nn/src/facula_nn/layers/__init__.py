"""The layers, one file or folder per family; `facula_nn` exports them.

Folders: `activation`, `convolution`, `pooling`, `normalization`, `loss`.
"""
