-- needs: room_edits
local room, key, content, limits = args.room, args.key, args.content, args.limits
local refused, job = check_access(room, args)
if refused then
  return refuse(refused[1], refused[2])
end
local document = find_document(room, key)
local version = document and document[DOCUMENT.version] or NO_DOCUMENT
local is_repeat = document and args.request ~= '' and document[DOCUMENT.request] == args.request
local verdict = documents.decide(version, args.expected, is_repeat, not content)
if verdict == 'repeat' then
  return reply_with({version, document[DOCUMENT.changed_us], false})
end
refused = check_writer(room, target_of(key), args, job)
if not refused and verdict == 'missing' then
  refused = {'document_not_found', {key}}
elseif not refused and verdict == 'conflict' then
  refused = {'version_conflict', {key, version}}
end
refused = refused or check_data_quota(room, (content and 1 or 0) - (document and 1 or 0),
  (content and #content or 0) - (document and document[DOCUMENT.size] or 0), limits)
if refused then
  return refuse(refused[1], refused[2])
end

return reply_with({write_content(room, key, content, args), NOW, true})
