"""Extensions that ship with Workroom. They use only the public surface."""
