SELECT job, name, media_type, blob, size, sha256, attempt, created_us FROM artifacts WHERE job = ? ORDER BY name
