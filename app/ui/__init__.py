"""Shows: widgets that know only the vocabulary; no I/O."""
