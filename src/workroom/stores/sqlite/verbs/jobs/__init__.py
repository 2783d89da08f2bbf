"""Jobs and their attempts: submitted, ended, answered and annotated."""
