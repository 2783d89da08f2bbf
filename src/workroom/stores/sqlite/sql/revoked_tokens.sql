SELECT token FROM revocations
