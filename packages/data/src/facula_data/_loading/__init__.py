"""Loading: `DataLoader`, the workers that it keeps between passes, and its state."""
