"""Apps that speak AAI (contract 4): their descriptors, requests and replies."""
