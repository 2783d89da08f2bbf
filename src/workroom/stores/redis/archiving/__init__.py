"""A store on Redis that moves ended jobs to an archive."""
