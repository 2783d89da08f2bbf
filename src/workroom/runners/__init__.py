"""How jobs reach code that the server itself brings."""
