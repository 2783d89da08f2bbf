"""What belongs to jobs: groups, exchanges, log lines, annotations and ids."""
