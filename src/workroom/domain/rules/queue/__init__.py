"""Which jobs enter the queue, when they leave it, and in what order."""
