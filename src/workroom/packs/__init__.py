"""Extensions that ship with Workroom. They use only its public API."""
