"""Hold to talk as the person sees it: the key, the light, the words, where they land."""
