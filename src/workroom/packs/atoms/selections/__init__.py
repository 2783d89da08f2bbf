"""Extensions that select atoms."""
