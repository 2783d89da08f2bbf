"""For tests, here and in packs: real servers, real workers, and the suites every store must pass."""
