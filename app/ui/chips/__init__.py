"""What waits above the composer: one chip per order, and the bar over what is held."""
