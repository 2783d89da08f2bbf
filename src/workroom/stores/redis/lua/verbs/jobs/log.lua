-- needs: room
-- Store log lines of a running attempt, numbered after those of earlier attempts, up to the limits.
local folder, lines = KEYS[1], KEYS[2]
local ATTEMPT, BASE, LAST, COUNT, BYTES, FULL, STEP, FIRST = 1, 2, 3, 4, 5, 6, 7, 8
local packed = call('HGET', folder, 'log')
local head = packed and cmsgpack.unpack(packed) or {0, 0, 0, 0, 0, 0, '', 1}

-- Sent again because the reply was lost: return the lines that were new.
if head[STEP] == args.step then
  local kept = {}
  for index, entry in ipairs(call('XRANGE', lines, head[FIRST] .. '-0', head[LAST] .. '-0')) do
    local fields = entry[2]
    local seq = tonumber(entry[1]:match('^%d+'))
    kept[index] = {seq, fields[4], fields[6], fields[10], fields[8], tonumber(fields[2])}
  end
  return cmsgpack.pack(kept)
end

if args.attempt > head[ATTEMPT] then
  head[ATTEMPT], head[BASE] = args.attempt, head[LAST]
end
local kept = {}
for _, line in ipairs(args.lines) do
  local at, stream, text, level = line[2], line[3], line[4], line[5]
  local seq = head[BASE] + line[1]
  if seq > head[LAST] and head[FULL] == 0 and args.attempt == head[ATTEMPT] then
    head[LAST], head[COUNT], head[BYTES] = seq, head[COUNT] + 1, head[BYTES] + #text
    if head[COUNT] > args.max_lines or head[BYTES] > args.max_bytes then
      head[FULL], stream, level, text = 1, 'log', 'WARNING', args.truncation_notice
    end
    call('XADD', lines, seq .. '-0', 'p', head[ATTEMPT], 'a', at, 's', stream, 'l', level or '', 't', text)
    kept[#kept + 1] = {seq, at, stream, text, level or '', head[ATTEMPT]}
  end
end
if #kept > 0 then
  head[STEP], head[FIRST] = args.step, kept[1][1]
  call('HSET', folder, 'log', cmsgpack.pack(head))
end
return cmsgpack.pack(kept)
