"""Activation functions: piecewise ones, smooth ones, those with irregular arguments, and softmax."""
