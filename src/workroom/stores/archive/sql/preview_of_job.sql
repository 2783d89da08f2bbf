SELECT job, kind, version, blob, size, sha256 FROM previews WHERE job = ?
