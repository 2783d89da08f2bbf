-- name: write_audit
INSERT INTO audit (at, actor, action, target, detail) VALUES (?, ?, ?, ?, ?) RETURNING seq

-- name: find_audit
SELECT seq, at, actor, action, target, detail FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?
