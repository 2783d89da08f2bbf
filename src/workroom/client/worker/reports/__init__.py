"""Reports to the server: starts, ends, output, progress and files of attempts."""
