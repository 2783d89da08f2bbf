-- needs: room_documents
-- Edits of one group make one version where that is possible.
local function version_to_amend(room, group, key)
  local number = group ~= '' and call('HGET', room_key('groups', room), group)
  local version = number and find_version(room, tonumber(number))
  if version and versions.amends(version[VERSION.number], version[VERSION.state], #version[VERSION.changes],
    tonumber(call('HGET', room_key('changed', room), key) or 0)) then
    return version
  end
end

-- Replace what a version made of a document. What it was before stays.
local function amend_version(room, version, change, edit)
  local number, made = version[VERSION.number], nil
  for _, each in ipairs(version[VERSION.changes]) do
    made = each[1] == change[1] and each or made
  end
  if made then
    refer(room, change[1], change[3], 1)
    refer(room, change[1], made[3], -1)
    made[3] = change[3]
  else
    append(version[VERSION.changes], change)
    refer_to_changes(room, {change}, 1)
    point_to('changed', room, change[1], number)
  end
  forget_pointer('requests', room, version[VERSION.request], number)
  version[VERSION.at_us], version[VERSION.summary], version[VERSION.request] = NOW, edit.summary, edit.request
  point_to('requests', room, edit.request, number)
  save_version(room, version)
end

local function keep_version(room, number, change, edit)
  local version = version_to_amend(room, edit.group, change[1])
  if version then
    return amend_version(room, version, change, edit)
  end
  record_version(room, {
    number, 'change', false, edit.user, edit.fence and edit.fence[1] or false, NOW, edit.summary, 'done', edit.request,
    edit.group, {change},
  })
  if edit.fence and not edit.keeps then
    note_job(room, edit.fence, 1)
  end
end

-- Make a content that of a document, as a version of its own or of the edit's group.
local function write_content(room, key, content, edit)
  local number = add(room, 'change', 1)
  if content then
    insert_content(room, key, number, content)
  end
  local change = replace_content(room, key, number, content and number, edit, edit.request)
  if not is_volatile(key) then
    keep_version(room, number, change, edit)
  end
  refer(room, key, change[2], -1)
  if not is_volatile(key) then
    drop_undone(room)
    trim_versions(room, edit.limits)
  end
  return number
end
