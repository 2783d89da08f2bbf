-- needs: leaving
-- Jobs leave that the archive has. For a while their ids stay known, so that a submit that is sent again finds them.
local moved = 0
for _, id in ipairs(args.jobs) do
  local job = find_job(id)
  if may_leave(job) then
    leave(job)
    call('SET', W .. 'moved:' .. id, '', 'EX', args.remember)
    moved = moved + 1
  end
end
return answer(moved)
