"""Groups of jobs, and what follows the end of a job."""
