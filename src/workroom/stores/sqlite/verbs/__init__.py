"""The atomic steps of the store, each a function of an open transaction."""
