-- Mirrors workroom.domain.rules.versions.
local versions = {}

-- The newest change that is not undone. Entries are {number, kind, state}, sorted by number.
function versions.to_undo(entries)
  for index = #entries, 1, -1 do
    local number, kind, state = unpack(entries[index])
    if (kind == 'change' or kind == 'restore') and (state == 'done' or state == 'partly') then
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

-- What an undone version becomes. What was rolled back must not come back with a redo.
function versions.after_undo(state)
  return state == 'done' and 'undone' or 'dropped'
end

function versions.amends(number, state, changes, changed)
  if state ~= 'done' or changed > number then
    return false
  end
  return changed == number or changes < MAX_CHANGES
end

-- How many of a job's changes of a document are taken back: {before, after}, the newest first.
function versions.rolls_back(changes, current)
  for index, change in ipairs(changes) do
    if change[2] ~= current then
      return index - 1
    end
    current = change[1]
  end
  return #changes
end

function versions.after_rollback(changes, rolled_back)
  if rolled_back == changes then
    return 'dropped'
  end
  return rolled_back > 0 and 'partly' or 'done'
end
