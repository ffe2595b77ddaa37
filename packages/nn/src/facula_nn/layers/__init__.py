"""The layers, a file or a folder a family; their public place is `facula_nn` itself.

Folders: `activation`, `convolution`, `pooling`, `normalization`, `loss`.
"""
