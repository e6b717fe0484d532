"""Language models behind the port `ports/model.py`. pydantic-ai is imported when the first model is opened."""
