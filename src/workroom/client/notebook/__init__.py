"""What rooms and jobs look like in a notebook."""
