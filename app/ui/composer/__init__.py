"""Where the person writes: the Message box, its chords, and the Send and Stop button."""
