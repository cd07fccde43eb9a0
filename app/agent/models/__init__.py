"""What can be asked: servers on this machine, the lists of servers, and whether one works."""
