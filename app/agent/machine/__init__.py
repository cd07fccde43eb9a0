"""The turn machine, pure: `step` over the words of `vocabulary`."""
