"""Rows of training steps and inference, eager and captured, and the networks and loops that they share."""
