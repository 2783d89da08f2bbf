"""A Socket.IO client with less work for each message than python-socketio's own. See README.md."""
