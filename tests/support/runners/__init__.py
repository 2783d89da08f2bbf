"""A Celery fleet, and the tests that every runner passes."""
