"""The composition root: build, connect, run; the only place that sees everything."""
