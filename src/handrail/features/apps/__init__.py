"""Apps that speak AAI (contract 4): what their descriptors, requests and replies mean. Knows no transport."""
