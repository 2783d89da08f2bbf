"""`python -m workroom`."""

from workroom.cli import main

main()
