"""Child programs that can't outlive whoever wanted them."""
