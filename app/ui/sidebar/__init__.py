"""The list of conversations beside the page: find, open, rename, delete."""
