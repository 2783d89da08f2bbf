-- Mirrors workroom.domain.rules.failure. An error is {type, message, details as JSON, stack trace}.
local failure = {}
local TYPE, MESSAGE, DETAILS, STACK_TRACE = 1, 2, 3, 4

-- What Python's str.split() takes for white space beside what %s matches, as UTF-8.
local SPACES = {
  '[\28-\31]', '\194\133', '\194\160', '\225\154\128', '\226\128[\128-\138]', '\226\128[\168\169\175]',
  '\226\129\159', '\227\128\128',
}

-- Fill in a template of the domain. Values are not looked through for further names.
local function fill(template, values)
  return (template:gsub('{(%w+)}', values))
end

local function truncate(text, length)
  local seen = 0
  for at = 1, #text do
    local byte = text:byte(at)
    if byte < 128 or byte > 191 then -- not within a character
      seen = seen + 1
      if seen > length then
        return text:sub(1, at - 1)
      end
    end
  end
  return text
end

-- A string in JSON. cjson escapes each slash, which is valid and unreadable.
local function quote(text)
  return (cjson.encode(text):gsub('\\/', '/'))
end

function failure.worker_lost(worker)
  local details = '{"worker":' .. quote(worker) .. '}'
  return {WORKER_LOST, fill(WORKER_LOST_TEXT, {worker = worker}), details, ''}
end

function failure.job_timeout(seconds)
  local text = string.format('%.14g', seconds)
  return {JOB_TIMEOUT, fill(JOB_TIMEOUT_TEXT, {seconds = text}), '{"timeout_s":' .. text .. '}', ''}
end

-- The last try ended with `error`, which stays readable in the details.
function failure.retries_exhausted(error, retries)
  local last = '{"type":' .. quote(error[TYPE]) .. ',"message":' .. quote(error[MESSAGE]) .. '}'
  local rest = error[DETAILS] == '{}' and '}' or ',' .. error[DETAILS]:sub(2)
  local text = fill(MAX_RETRIES_TEXT, {
    retries = string.format('%d', retries), type = error[TYPE], message = error[MESSAGE],
  })
  return {MAX_RETRIES, text, '{"last_error":' .. last .. rest, error[STACK_TRACE]}
end

-- One chat line about a failed job, whatever line breaks the error contains.
function failure.failure_line(job, error)
  local text = fill(FAILURE_TEXT, {job = job, type = error[TYPE], message = error[MESSAGE]})
  for _, space in ipairs(SPACES) do
    text = text:gsub(space, ' ')
  end
  return truncate(text:gsub('%s+', ' '):gsub('^ ', ''):gsub(' $', ''), MAX_LINE)
end

function failure.retry_reason(reason, delay)
  return fill(RETRY_TEXT, {reason = reason, delay = string.format('%.1f', delay)})
end

-- The error as it is kept.
function failure.encode(error)
  return '{"type":' .. quote(error[TYPE]) .. ',"message":' .. quote(error[MESSAGE]) ..
    ',"details":' .. error[DETAILS] .. ',"stack_trace":' .. quote(error[STACK_TRACE]) .. '}'
end
