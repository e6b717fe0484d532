"""Language models behind the port `contract/model.py`, through pydantic-ai, which is loaded with the first of them."""
