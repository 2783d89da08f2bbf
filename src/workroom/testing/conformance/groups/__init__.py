"""What stores do with jobs that belong together or wait for one another."""
