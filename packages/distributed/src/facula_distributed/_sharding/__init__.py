"""Parameters that are divided among ranks: gathered before use, freed after it, with reduced gradients."""
