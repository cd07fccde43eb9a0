"""What the design promises in numbers, measured; never asserted by a test."""
