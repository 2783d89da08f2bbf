// A worker written from docs/protocol.md alone: node worker.mjs BASE ROOM [SLOTS]
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { io } from "socket.io-client";

const [base, room, slots = 1] = process.argv.slice(2);
const [ACK_MS, RETRY_MS, BATCH] = [10_000, 300, 256];
const odd = {
  "half an emoji": () => "😀".slice(0, 1),
  binary: () => new Uint8Array(8),
  deep: () => JSON.parse("[".repeat(1500) + "]".repeat(1500)),
  large: () => "x".repeat(1_500_000),
};
const extensions = {
  Add: {
    schema: { properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    run: ({ a, b }) => ({ sum: a + b }),
  },
  Slow: {
    schema: { properties: { steps: { type: "integer" }, step_ms: { type: "integer" } } },
    async run({ steps = 10, step_ms = 50 }, { signal, progress }) {
      for (let step = 1; step <= steps; step++) {
        await sleep(step_ms, null, { signal });
        progress({ fraction: step / steps, message: `step ${step}`, current: step, total: steps });
      }
      return { steps };
    },
  },
  Odd: {
    schema: { properties: { kind: { enum: ["half an emoji", "binary", "deep", "large"] } }, required: ["kind"] },
    run: ({ kind }) => odd[kind](),
  },
  Broken: {
    schema: { properties: { message: { type: "string" } }, required: ["message"] },
    run({ message }) {
      throw Object.assign(new RangeError(message), { details: { part: "gear" } });
    },
  },
};

// ---- HTTP: the token, registering, large data, goodbye ----
const auth = { token: null, worker_id: randomUUID() };
async function http(method, path, body) {
  const bearer = auth.token && { Authorization: `Bearer ${auth.token}` };
  const headers = { "Content-Type": "application/json", ...bearer };
  const response = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

async function register() {
  auth.token ??= (await http("POST", "/api/login", { name: "js-worker" })).token;
  const offered = Object.entries(extensions).map(([name, { schema }]) => {
    return { room, category: "analysis", name, schema: { type: "object", title: name, ...schema } };
  });
  const worker = { worker_id: auth.worker_id, name: "js-worker", slots: Number(slots), extensions: offered };
  await http("POST", "/api/workers/register", worker);
}

// ---- The connection: hello and heartbeat ----
const [bootId, nonce] = [randomUUID(), randomUUID()];
const held = new Set(); // jobs in the order they came; a job's phase is queued, begun or finished
let seen = 0;
let session = null; // given by the answer to our hello; null until it came on this connection
let heartbeats = null;
let leaving = false;

const fence = ({ job_id, attempt, token }) => ({ job_id, attempt, token });
const state = () => ({ holds: Array.from(held, (job) => ({ ...fence(job), phase: job.phase })), seen });
const key = ({ job_id, attempt }) => `${job_id} ${attempt}`;
const find = (attempts) => [...held].filter((job) => attempts.map(key).includes(key(job)));

// Gives the ack, or {error} some time after the call failed, so that it can be made again.
async function ask(event, payload) {
  const call = socket.timeout(ACK_MS).emitWithAck(event, payload);
  const answer = await call.catch(({ message }) => ({ error: { code: "no_ack", detail: message } }));
  if (answer.error) await recover(answer.error);
  return answer;
}

async function recover({ code, detail }) {
  console.error(`${code}: ${detail}`);
  if (code === "stale_session") process.exit(1); // a newer process speaks for our worker id
  await sleep(RETRY_MS);
  if (code === "unauthenticated") [auth.token, auth.worker_id] = [null, randomUUID()]; // a new guest, a new worker
  if (code === "worker_not_found" || code === "unauthenticated") await register().catch(console.error);
}

async function hello() {
  const connection = socket.id;
  const answer = await ask("worker:hello", { boot_id: bootId, ...state() });
  if (socket.id !== connection) return; // the next connection says its own hello
  if (answer.error) return void hello();
  if (heartbeats === null) console.log("serving");
  clearInterval(heartbeats);
  heartbeats = setInterval(heartbeat, answer.heartbeat_ms);
  session = answer.session;
  obey(answer);
}

async function heartbeat() {
  if (session === null) return;
  const answer = await ask("worker:heartbeat", { session, ...state() });
  if (!answer.error) obey(answer);
  else if (answer.error.code === "worker_not_found" && session !== null) await hello();
}

function obey({ drop, cancel }) {
  find(drop).forEach(forget);
  stop(cancel);
}

// ---- Jobs ----
const isTaken = (job) => job.phase !== "queued" || job.asking;
// Called after every change: bring what has ended to the server, start what has a slot.
function work() {
  const taken = [...held].filter(isTaken);
  if (leaving && taken.length === 0) leave();
  if (session === null) return;
  taken.filter((job) => job.phase === "finished" && !job.asking).forEach(deliver);
  const free = leaving ? 0 : Math.max(0, Math.min(slots - taken.length, BATCH));
  const next = [...held].filter((job) => !isTaken(job)).slice(0, free);
  if (next.length > 0) start(next);
}

async function start(jobs) {
  for (const job of jobs) job.asking = true;
  const { answers = [] } = await ask("job:start", jobs.map((job) => ({ ...fence(job), nonce })));
  answers.forEach((problem, index) => (problem === null ? run(jobs[index]) : forget(jobs[index])));
  for (const job of jobs) job.asking = false;
  work();
}

async function run(job) {
  const { signal } = job.stopper;
  const began = performance.now();
  const progress = (report) => {
    const elapsed_ms = performance.now() - began;
    if (session !== null) socket.emit("job:progress", [{ ...fence(job), ...report, elapsed_ms }]);
  };
  job.phase = "begun";
  try {
    signal.throwIfAborted();
    const data = job.data ?? (await http("GET", `/api/jobs/${job.job_id}`)).data;
    const result = await extensions[job.name].run(data, { signal, progress });
    job.end = { status: "completed", result, run_ms: performance.now() - began };
  } catch (error) {
    job.end = signal.aborted ? { status: "cancelled" } : failed(error);
  }
  job.phase = "finished";
  work();
}

function failed({ constructor: { name: type }, message, details = {}, stack }) {
  return { status: "failed", error: { type, message, details, stack_trace: stack } };
}

async function deliver(job) {
  job.asking = true;
  const { error, answers: [problem] = [error] } = await ask("job:finish", [{ ...fence(job), ...job.end }]);
  const isOver = !problem || problem.code === "stale_attempt"; // it is on disk, or the job had ended without us
  if (isOver || (problem.retryable === false && job.isRefused)) forget(job);
  else if (problem.retryable === false) {
    job.isRefused = true;
    job.end = failed(new RangeError(problem.detail));
  } // else the same is sent again
  job.asking = false;
  work();
}

function stop(attempts) {
  for (const job of find(attempts)) {
    job.stopper.abort();
    if (!isTaken(job)) run(job); // ends at once, as cancelled
  }
  work();
}

function forget(job) {
  held.delete(job);
  job.stopper.abort();
}

async function leave() {
  clearInterval(heartbeats);
  await http("POST", `/api/workers/${auth.worker_id}/shutdown`).catch(console.error);
  process.exit();
}

await register();
const socket = io(base, { transports: ["websocket"], auth: (give) => give(auth), reconnectionDelayMax: 500 });
socket.on("connect", hello);
socket.on("disconnect", () => {
  session = null;
  if (!socket.active) socket.connect(); // the server closed it, so the client does not come back by itself
});
socket.on("connect_error", async (error) => {
  if (socket.active) return; // not reached: the client tries again by itself
  await recover(error.data ?? { code: "unauthenticated", detail: error.message });
  socket.connect();
});
socket.on("job:assigned", (jobs, ack) => {
  ack(true);
  seen = Math.max(seen, ...jobs.map((job) => job.number));
  for (const job of jobs.filter((job) => find([job]).length === 0))
    held.add({ ...job, phase: "queued", asking: false, stopper: new AbortController() });
  work();
});
socket.on("job:recall", (attempts) => find(attempts).filter((job) => !isTaken(job)).forEach(forget));
socket.on("job:cancel", stop);
process.on("SIGTERM", () => {
  leaving = true;
  work();
});
