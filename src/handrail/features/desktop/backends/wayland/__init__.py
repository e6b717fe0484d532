"""The compositor port for Wayland: windows, input, clipboard and pixels through wlroots' protocols."""
