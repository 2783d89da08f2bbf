"""Commands about what a room holds: frames, files of structures, locks and versions."""
