"""Wayland compositors: their windows, input, clipboard and pictures."""
