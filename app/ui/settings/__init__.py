"""What the person can choose: a dialog of pages that apply at once."""
