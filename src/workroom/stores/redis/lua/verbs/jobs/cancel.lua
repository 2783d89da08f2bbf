-- needs: cancelling
-- Cancel jobs.
for _, id in ipairs(args.jobs) do
  append(step.answers, cancel_job(id, args.actor, args.reason))
end
retire(ended)
return reply_packed(build_step())
