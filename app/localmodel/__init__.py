"""The model that came with Belay, served by a child process on loopback."""
