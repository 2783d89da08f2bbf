"""An application with users of its own, in which Workroom is mounted."""
