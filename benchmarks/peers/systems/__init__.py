"""One file per system; each has a class `Measured`."""
