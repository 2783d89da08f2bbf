"""Values and rules: stdlib only, no I/O, no await, no clock."""
