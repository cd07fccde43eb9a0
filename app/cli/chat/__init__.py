"""`belay chat`: the assistant in the terminal."""
