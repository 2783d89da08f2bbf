-- needs: room
-- What a running attempt prints is kept, numbered on from the attempts before, as far as the limits go.
local folder, lines = KEYS[1], KEYS[2]
local head = call('HGET', folder, 'log')
local attempt, base, last, count, bytes, full = unpack(head and cmsgpack.unpack(head) or {0, 0, 0, 0, 0, 0})
if args.attempt > attempt then
  attempt, base = args.attempt, last
end
local kept = {}
for _, line in ipairs(args.lines) do
  local at, stream, text, level = line[2], line[3], line[4], line[5]
  local seq = base + line[1]
  if seq > last and full == 0 and args.attempt == attempt then
    last, count, bytes = seq, count + 1, bytes + #text
    if count > args.max_lines or bytes > args.max_bytes then
      full, stream, level, text = 1, 'log', 'WARNING', args.last_words
    end
    call('XADD', lines, seq .. '-0', 'p', attempt, 'a', at, 's', stream, 'l', level or '', 't', text)
    kept[#kept + 1] = {seq, at, stream, text, level or false, attempt}
  end
end
if #kept > 0 then
  call('HSET', folder, 'log', cmsgpack.pack({attempt, base, last, count, bytes, full}))
end
return cmsgpack.pack(kept)
