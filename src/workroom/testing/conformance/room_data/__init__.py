"""What every store does with the data of rooms."""
