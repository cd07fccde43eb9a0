"""Ways to reach a model: over HTTP, with retry, with fallback, scripted."""
