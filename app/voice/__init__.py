"""Hears: the microphone, the words in what it recorded, and who decides when."""
