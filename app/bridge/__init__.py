"""Where Qt meets the services: the agent thread, merged deltas, one signal out."""
