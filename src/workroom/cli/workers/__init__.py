"""Commands that start workers, and those that list, accept or dismiss them."""
