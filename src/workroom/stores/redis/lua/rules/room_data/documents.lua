-- Mirrors workroom.domain.rules.room_data.documents.
local documents = {}

function documents.decide(version, expected, is_repeat, is_delete)
  if is_repeat then
    return 'repeat'
  end
  if is_delete and version == NO_DOCUMENT then
    return 'missing'
  end
  if not expected or expected == version then
    return 'write'
  end
  return expected == ANY_VERSION and version ~= NO_DOCUMENT and 'write' or 'conflict'
end

function documents.exceeded(count, size, more_documents, more_size, most, max_size)
  if more_documents > 0 and count + more_documents > most then
    return 'documents_per_room'
  end
  if more_size > 0 and size + more_size > max_size then
    return 'document_bytes_per_room'
  end
  return nil
end
