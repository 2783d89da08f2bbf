-- needs: following
-- Results were filled into the values of jobs, or they are skipped. Repeating this has no effect.
for _, each in ipairs(args.values) do
  local id, size, lane, refusal = unpack(each)
  local job = find_job(id)
  local record = job and job[JOB.is_postponed] and waits.find(id)
  if record and record[POSTPONED.has_refs] then
    if refusal then
      links.skip(job, refusal)
    else
      job[JOB.size], job[JOB.lane] = size, lane
      record[POSTPONED.has_refs] = false
      save_job(job)
      waits.enqueue_when_due(job, record)
    end
  end
end
save_shares()
return reply_packed(build_step())
