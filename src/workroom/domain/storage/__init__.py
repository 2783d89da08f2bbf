"""What stores promise and keep, and what the servers that share one send each other."""
