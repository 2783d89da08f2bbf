SELECT deleted FROM rooms WHERE name = ?
