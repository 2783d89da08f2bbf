"""`/metrics`: the figures in Prometheus' text format, and the port of their own."""
