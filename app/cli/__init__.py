"""The terminal front end over the same services, without Qt."""
