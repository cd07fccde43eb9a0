"""The vocabulary every other package speaks: values, events, errors, tokens; no I/O."""
