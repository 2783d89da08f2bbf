"""The table of rule vectors, and the three implementations that it is run against."""
