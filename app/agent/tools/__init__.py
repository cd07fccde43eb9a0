"""Tools the model may ask for."""
