"""Extensions that draw figures, whose points know their frames."""
