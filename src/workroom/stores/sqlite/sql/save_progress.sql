INSERT INTO progress (seq, document) VALUES (?, ?) ON CONFLICT (seq) DO UPDATE SET document = excluded.document
