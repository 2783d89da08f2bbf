"""Extensions that change frames."""
