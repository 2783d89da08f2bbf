-- needs: step rules/upkeep
-- The time by which history may be deleted, if any, and whether the clock has just jumped.
local seen, known = unpack(call('HMGET', W .. 'meta', 'clock_seen', 'clock_since'))
local since = upkeep.steady_since_us(NOW, tonumber(seen or NOW), tonumber(known or NOW), args.keep)
local moved = NOW - tonumber(seen or 0)
if moved >= UPKEEP_US or moved < 0 then
  call('HSET', W .. 'meta', 'clock_seen', string.format('%.0f', NOW), 'clock_since', string.format('%.0f', since))
end
return reply_with({upkeep.may_forget(NOW, since, args.keep) and NOW, seen and since == NOW})
