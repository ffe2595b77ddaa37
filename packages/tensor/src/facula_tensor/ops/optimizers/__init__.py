"""Steps of optimizers: one launch changes all parameters of a group."""
