"""Long trials: `make campaign` runs each once, then again with other seeds as long as time is left."""
