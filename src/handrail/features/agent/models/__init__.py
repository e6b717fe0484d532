"""Language models, which implement `ports/model.py`. pydantic-ai is imported when the first model is opened."""
