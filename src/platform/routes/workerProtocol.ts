import { Refusal } from '../domain/refusal.ts';
import { jobKind } from '../ids.ts';
import type { TakenJob } from '../queue/jobQueue.ts';
import type { QueueEndpoint } from '../queue/queueEndpoint.ts';
import type { Services } from './services.ts';
import { json, NO_CONTENT, type Answer } from '../http/answer.ts';
import { readBody } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';
import type { App } from './app.ts';
import { isTooDeep, MAX_DEPTH } from '../http/jsonDepth.ts';
import { WORKER_PATH } from './errors.ts';

/*
 * What workers speak to the platform (facts, worker protocol). The secret is the `t` of the query; the Authorization header is never
 * looked at, because SDKs may send a key there that belongs to another service.
 */

/**
 * Largest result, or part of one, in bytes. The hosted service refuses a larger one, which leaves its job COMPLETED without any output;
 * here the job fails with a text that says why (facts, section 4e).
 */
const MAX_RESULT_BYTES = { run: 10 * 1_048_576, runsync: 20 * 1_048_576 };
const MAX_BATCH = 100;

export function workerProtocolRoutes(app: App, { engine }: Services): void {
  /** Its token is checked here, whatever else the request carries. */
  const on = (method: string, path: string, serve: (call: WorkerCall) => Answer | Promise<Answer>): void => {
    const template = `${WORKER_PATH}/{endpointId}/${path}`;
    app.on(method, template, (exchange) => serve(callOf(exchange)), { open: true });
  };

  const callOf = (exchange: Exchange): WorkerCall => {
    const { endpointId = '', workerId = '', jobId = '' } = exchange.parameters;
    const { query } = exchange;
    const queue = engine.queueOfWorker(endpointId, workerId, query['t'] ?? '');
    if (!queue) throw new Refusal(401, 'no such worker, or not its token');
    return { exchange, queue, workerId, jobId, query };
  };

  on('GET', 'job-take/{workerId}', async (call) => {
    const [job] = await take(call, 1);
    return job ? json(jobForWorker(job)) : NO_CONTENT;
  });

  on('GET', 'job-take-batch/{workerId}', async (call) => {
    const size = Math.trunc(Number(call.query['batch_size'] ?? 1)) || 1;
    const jobs = await take(call, Math.max(1, Math.min(size, MAX_BATCH)));
    return jobs.length > 0 ? json(jobs.map(jobForWorker)) : NO_CONTENT;
  });

  on('GET', 'job-stop/{workerId}', async ({ exchange, queue, workerId }) => {
    const ids = await queue.jobsToStop(workerId, exchange.signal);
    return ids ? json({ jobsToStop: ids }) : NO_CONTENT;
  });

  on('POST', 'job-done/{workerId}/{jobId}', async (call) => {
    const { queue, workerId, jobId } = call;
    const result = await readResult(call);
    if (result['status'] === 'IN_PROGRESS') {
      const { output, error } = result as { output?: unknown; error?: string };
      // What is only a report may be lost; the job goes on.
      if (error === undefined) queue.progress(workerId, jobId, output);
      else queue.note(workerId, { kind: 'reportLeftOut', jobId, reason: error });
    } else {
      const { output, error, stopPod } = result as { output?: unknown; error?: unknown; stopPod?: unknown };
      await queue.finished(workerId, jobId, { output, error: error ?? undefined }, stopPod === true);
    }
    return json({});
  });

  on('POST', 'job-stream/{workerId}/{jobId}', async (call) => {
    const { queue, workerId, jobId } = call;
    const { output, error } = (await readResult(call)) as { output?: unknown; error?: unknown };
    // A chunk has no error of its own: this one could not be read, and without it the others are not what the worker said.
    if (error !== undefined) await queue.finished(workerId, jobId, { error }, false);
    else await queue.chunk(workerId, jobId, output ?? null);
    return json({});
  });

  on('GET', 'ping/{workerId}', ({ queue, workerId, query }) => {
    queue.ping(workerId, query['job_id']?.split(',') ?? []);
    return json({});
  });
}

/** What a worker asks or tells, after its token has been checked. */
interface WorkerCall {
  readonly exchange: Exchange;
  readonly queue: QueueEndpoint;
  readonly workerId: string;
  readonly jobId: string;
  readonly query: Readonly<Record<string, string>>;
}

/** The job as workers read it: everything the request had, and its id. */
const jobForWorker = ({ job: { id }, request }: TakenJob): Record<string, unknown> => ({ ...request, id });

async function take({ exchange, queue, workerId, query }: WorkerCall, limit: number): Promise<readonly TakenJob[]> {
  const hasJobs = query['job_in_progress'] === '1';
  const userAgent = exchange.header('User-Agent') ?? '';
  const jobs = await queue.take(workerId, { limit, hasJobs, userAgent }, exchange.signal);
  if (jobs.length > 0) returnIfUndelivered(exchange, (job) => queue.undelivered(workerId, job), jobs);
  return jobs;
}

/** A worker that hung up before it had the whole answer knows nothing of the jobs: they go back to the queue. */
function returnIfUndelivered(
  { outgoing }: Exchange,
  takeBack: (job: TakenJob) => void,
  jobs: readonly TakenJob[],
): void {
  const onClose = (): void => {
    if (!outgoing.writableFinished) jobs.forEach(takeBack);
  };
  if (outgoing.closed) onClose();
  else outgoing.once('close', onClose);
}

/**
 * Workers send JSON whatever their content type says. What cannot be read fails the job with a text that says why; the worker is answered
 * with success all the same: it would only try again, or drop the result and leave the job to its timeout.
 */
async function readResult({ exchange, jobId }: WorkerCall): Promise<Record<string, unknown>> {
  const kind = jobKind(jobId);
  try {
    return parseResult(await readBody(exchange, MAX_RESULT_BYTES[kind]));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      error: `the result is larger than the ${MAX_RESULT_BYTES[kind]} bytes that a job of /${kind} may return; return an address of it instead`,
    };
  }
}

/** How SDKs begin a report of progress, which cannot be told from a result in another way when it is no JSON. */
const PROGRESS = /^\s*\{\s*"status"\s*:\s*"IN_PROGRESS"/;

function parseResult(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(text)) return { error: `the worker's result is nested more than ${MAX_DEPTH} levels deep` };
    return typeof value === 'object' && value !== null ? { ...value } : { output: value };
  } catch (failure) {
    const hint = /\b(NaN|Infinity)\b/.test(text) ? ' (it holds NaN or Infinity, which JSON does not have)' : '';
    const reason = `is not valid JSON${hint}: ${(failure as Error).message}`;
    if (PROGRESS.test(text)) return { status: 'IN_PROGRESS', error: `it ${reason}` };
    return { error: `the worker's result ${reason}` };
  }
}
