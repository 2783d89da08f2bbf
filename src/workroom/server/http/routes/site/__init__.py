"""The routes of the page, the API's description and health."""
