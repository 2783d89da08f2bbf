// A worker written from docs/protocol.md alone: node worker.mjs BASE ROOM [SLOTS]

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { io } from "socket.io-client";

const [base, room, slots = "1"] = process.argv.slice(2);
const RETRY_MS = 300;
const ACK_MS = 10_000;
const START_LIMIT = 256;

// ---------------------------------------------------------------- what it can do

class GearLost extends Error {
  name = "GearLost";
  details = { part: "gear" };
}

const integer = (fallback) => ({ type: "integer", minimum: 1, ...(fallback && { default: fallback }) });

const extensions = {
  Add: {
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
    run: ({ a, b }) => ({ sum: a + b }),
  },
  Slow: {
    properties: { steps: integer(10), step_ms: integer(50) },
    async run({ steps = 10, step_ms = 50 }, { signal, progress }) {
      for (let step = 1; step <= steps; step++) {
        await sleep(step_ms, null, { signal });
        progress({ fraction: step / steps, message: `step ${step}`, current: step, total: steps });
      }
      return { steps };
    },
  },
  Broken: {
    properties: { message: { type: "string" } },
    run({ message = "gear lost" }) {
      throw new GearLost(message);
    },
  },
};

// ---------------------------------------------------------------- HTTP

class Problem extends Error {
  constructor({ code, title, detail }) {
    super(`${code}: ${detail ?? title}`);
    this.code = code;
  }
}

async function http(method, path, body) {
  const response = await fetch(base + path, {
    method,
    headers: { "Content-Type": "application/json", ...(auth.token && { Authorization: `Bearer ${auth.token}` }) },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  const answer = text ? JSON.parse(text) : null;
  if (!response.ok) throw new Problem(answer);
  return answer;
}

const auth = { token: null, worker_id: randomUUID() };

async function register() {
  auth.token = (await http("POST", "/api/login", { name: "js-worker" })).token;
  await http("POST", "/api/workers/register", {
    worker_id: auth.worker_id,
    name: "js-worker",
    slots: Number(slots),
    machine: { host: hostname(), node: process.version },
    extensions: Object.entries(extensions).map(([name, { properties, required = [] }]) => ({
      room,
      category: "analysis",
      name,
      schema: { type: "object", title: name, properties, required },
    })),
  });
}

// ---------------------------------------------------------------- the connection

const bootId = randomUUID();
const nonce = randomUUID();
const held = new Set(); // jobs in the order of their arrival; the phase is queued, begun or finished
let seen = 0;
let session = null; // null until the server has answered our hello on this connection
let heartbeats = null;
let leaving = false;

await register();
const socket = io(base, { transports: ["websocket"], auth: (give) => give(auth), reconnectionDelayMax: 2000 });

async function ask(event, payload) {
  const answer = await socket.timeout(ACK_MS).emitWithAck(event, payload);
  if (answer?.error) throw new Problem(answer.error);
  return answer;
}

const fence = ({ job_id, attempt, token }) => ({ job_id, attempt, token });
const holds = () => Array.from(held, (job) => ({ ...fence(job), phase: job.phase }));
const find = ({ job_id, attempt }) => [...held].find((job) => job.job_id === job_id && job.attempt === attempt);

async function hello() {
  const connection = socket.id;
  try {
    const answer = await ask("worker:hello", { boot_id: bootId, holds: holds(), seen });
    if (session === null && !heartbeats) console.log("serving");
    session = answer.session;
    clearInterval(heartbeats);
    heartbeats = setInterval(heartbeat, answer.heartbeat_ms);
    obey(answer);
  } catch (error) {
    await recover(error);
    if (socket.id === connection && session === null) await hello();
  }
}

async function heartbeat() {
  if (session === null) return;
  try {
    obey(await ask("worker:heartbeat", { session, holds: holds(), seen }));
  } catch (error) {
    await recover(error);
  }
}

// After a failed call. What was not acked is still held, and is sent again by `work`.
async function recover(error) {
  if (error.code === "stale_session") quit(1, error);
  console.error(error.message);
  await sleep(RETRY_MS);
  if (error.code === "worker_not_found") {
    session = null;
    await register().catch((problem) => console.error(problem.message));
    if (socket.connected) await hello();
  }
}

function obey({ drop, cancel }) {
  drop.map(find).filter(Boolean).forEach(forget);
  cancel.map(find).filter(Boolean).forEach(stop);
  work();
}

function quit(code, error) {
  if (error) console.error(error.message);
  process.exit(code);
}

socket.on("connect", hello);
socket.on("disconnect", (reason) => {
  session = null;
  if (reason === "io server disconnect") sleep(RETRY_MS).then(() => socket.connect());
});
socket.on("connect_error", async (error) => {
  if (socket.active) return; // the server was not reached; the client tries again by itself
  await recover(new Problem(error.data ?? { code: "refused", title: error.message }));
  await register().catch((problem) => console.error(problem.message));
  socket.connect();
});
