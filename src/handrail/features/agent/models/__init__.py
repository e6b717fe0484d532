"""Language models behind the port `ports/model.py`, through pydantic-ai, which is loaded with the first of them."""
