"""What the server measures about itself."""
