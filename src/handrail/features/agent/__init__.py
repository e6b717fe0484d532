"""The agent of our own: a loop over a model and the same gate as everybody's."""
