"""Commands about people: who they are, how they come in, and their accounts."""
