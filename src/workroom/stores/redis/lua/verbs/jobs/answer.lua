-- needs: exchanges
-- Answer a question. The first answer counts.
local job = find_job(args.job)
if not job then
  return refuse('job_not_found', {})
end
local found = exchanges_of(args.job)
local question = found[QUESTIONS][args.question]
if not question then
  return refuse('question_not_found', {args.question})
end
local by, before, status = question[QUESTION.answered_by], question[QUESTION.answer], job[JOB.status]
local verdict = exchanges.answer(
  before and true or false, before == args.answer and by == args.user, TERMINAL[status] or false,
  question[QUESTION.expires_us] or nil, NOW)
if verdict ~= 'accept' and verdict ~= 'repeat' then
  return refuse('question_closed', {verdict, by, status})
end
if verdict == 'accept' then
  question[QUESTION.answer], question[QUESTION.answered_by], question[QUESTION.answered_us] = args.answer, args.user, NOW
  save_exchanges(args.job, found)
  local is_open = false
  for _, each in ipairs(found[QUESTIONS]) do
    is_open = is_open or not each[QUESTION.answer]
  end
  if not is_open then
    close_questions(job[JOB.room], args.job)
  end
end
local waits = verdict == 'accept' and status == 'running' and job[JOB.worker]
return reply_with({job[JOB.room], job[JOB.user], waits or false, verdict == 'repeat', question})
