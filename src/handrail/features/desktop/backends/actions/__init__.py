"""Acts on windows, by an element's own actions, or else with pointer, keys and clipboard."""
