// A worker that completes jobs without any work. It takes jobs in batches and posts each result separately.
import { Agent, request } from 'node:http';
import { openTally } from './tally.mjs';

const { RUNPOD_WEBHOOK_GET_JOB: takeUrl, RUNPOD_WEBHOOK_POST_OUTPUT: doneUrl, CONCURRENCY } = process.env;
const batchUrl = takeUrl.replace('/job-take/', '/job-take-batch/');
const agent = new Agent({ keepAlive: true });
const tally = openTally();
const limit = Number(CONCURRENCY);
/** Output of each job. */
const lines = 'one more line in the log of the worker\n'.repeat(Number(process.env.LINES ?? 0));
let inProgress = 0;
/** Called when a job is done. */
let onDone = () => undefined;

function call(url, method, body) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const headers = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const outgoing = request(url, { method, agent, headers }, (response) => {
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
    });
    outgoing.on('error', reject).end(body);
  });
}

async function run({ id, input }) {
  const latency = tally.since(input.at);
  if (lines !== '') process.stdout.write(lines);
  await call(doneUrl.replace('$ID', id), 'POST', '{"output":null}');
  inProgress--;
  tally.done(latency);
  onDone();
}

// One request for jobs at a time, as in SDKs. A second one would not know how many jobs the first one returns.
for (;;) {
  // Requests jobs only when at least half of the capacity is free. Running jobs continue in the meantime.
  while (inProgress > limit / 2) await new Promise((resolve) => (onDone = resolve));
  const url = `${batchUrl}&batch_size=${limit - inProgress}&job_in_progress=${inProgress > 0 ? 1 : 0}`;
  const { status, text } = await call(url, 'GET');
  if (status !== 200) continue;
  const jobs = JSON.parse(text);
  inProgress += jobs.length;
  for (const job of jobs) void run(job);
}
