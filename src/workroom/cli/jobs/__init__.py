"""Commands about jobs and groups of jobs."""
