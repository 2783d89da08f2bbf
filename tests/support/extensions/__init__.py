"""Extensions that test workers load by name, as `support.extensions.samples:Echo`."""
