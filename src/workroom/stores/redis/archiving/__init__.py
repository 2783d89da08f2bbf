"""A store on Redis whose jobs move to an archive some time after their end."""
