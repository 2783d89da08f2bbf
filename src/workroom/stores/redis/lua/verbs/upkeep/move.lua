-- needs: departures
-- Delete archived jobs. Their ids stay known for a while, so that a repeated submit finds them.
local moved = 0
for _, id in ipairs(args.jobs) do
  local job = find_job(id)
  if may_depart(job) then
    delete_job(job)
    call('SET', W .. 'moved:' .. id, '', 'EX', args.remember)
    moved = moved + 1
  end
end
return reply_with(moved)
