"""Loading: `DataLoader`, its workers from one pass to the next, and its state."""
