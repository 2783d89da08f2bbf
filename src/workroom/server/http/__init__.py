"""REST: routes, request bodies, views, problems and limits."""
