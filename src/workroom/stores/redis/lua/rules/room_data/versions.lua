-- Mirrors workroom.domain.rules.room_data.versions.
local versions = {}

-- The newest change that is not undone. Entries are {number, kind, state}, sorted by number.
function versions.to_undo(entries)
  for index = #entries, 1, -1 do
    local number, kind, state = unpack(entries[index])
    if (kind == 'change' or kind == 'restore') and state == 'done' then
      return number
    end
  end
  return nil
end

-- The oldest change that is undone: it was undone last.
function versions.to_redo(entries)
  for _, entry in ipairs(entries) do
    if entry[3] == 'undone' then
      return entry[1]
    end
  end
  return nil
end

function versions.is_over(edits, count, age_us, size, most, keep_us, max_size)
  return edits > most or count > most * VERSIONS_PER_EDIT or age_us > keep_us or size > max_size
end
