INSERT INTO workers (id, user, name, runner, slots, machine, registered_at, since)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, runner = excluded.runner, slots = excluded.slots,
  machine = excluded.machine
