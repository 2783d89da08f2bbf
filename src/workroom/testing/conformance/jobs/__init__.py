"""The life of one job."""
