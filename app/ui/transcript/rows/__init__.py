"""The rows that messages are made of: each measures, paints and answers for itself."""
