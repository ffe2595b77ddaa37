"""The layers, a file a family; their public place is `facula_nn` itself."""
