"""Activation functions: piecewise, smooth, with irregular arguments, and softmax."""
