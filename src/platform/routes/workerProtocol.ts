import type { JobRecord } from '../domain/job.ts';
import { Refusal } from '../domain/refusal.ts';
import { jobKind } from '../ids.ts';
import type { QueueEndpoint } from '../runtime/queue/queueEndpoint.ts';
import type { Services } from '../services.ts';
import type { App, RequestContext } from './app.ts';
import { readBody } from './body.ts';
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

export function workerProtocolRoutes(app: App, { engine, store }: Services): void {
  const base = `${WORKER_PATH}/:endpointId`;

  /** The job as workers read it: everything the request had, and its id. */
  const jobForWorker = ({ id }: JobRecord): Record<string, unknown> => ({ ...store.getRequest(id), id });

  const queueOf = (context: RequestContext): QueueEndpoint => {
    const { endpointId = '', workerId = '' } = context.req.param();
    const queue = engine.queueOfWorker(endpointId, workerId, context.req.query('t') ?? '');
    if (!queue) throw new Refusal(401, 'no such worker, or not its token');
    return queue;
  };

  app.get(`${base}/job-take/:workerId`, async (context) => {
    const [job] = await take(context, queueOf(context), 1);
    return job ? context.json(jobForWorker(job)) : context.body(null, 204);
  });

  app.get(`${base}/job-take-batch/:workerId`, async (context) => {
    const size = Math.trunc(Number(context.req.query('batch_size') ?? 1)) || 1;
    const jobs = await take(context, queueOf(context), Math.max(1, Math.min(size, MAX_BATCH)));
    return jobs.length > 0 ? context.json(jobs.map(jobForWorker)) : context.body(null, 204);
  });

  app.get(`${base}/job-stop/:workerId`, async (context) => {
    const ids = await queueOf(context).jobsToStop(parameter(context, 'workerId'), context.req.raw.signal);
    return ids ? context.json({ jobsToStop: ids }) : context.body(null, 204);
  });

  app.post(`${base}/job-done/:workerId/:jobId`, async (context) => {
    const queue = queueOf(context);
    const [workerId, jobId] = [parameter(context, 'workerId'), parameter(context, 'jobId')];
    const result = await readResult(context);
    if (result['status'] === 'IN_PROGRESS') {
      queue.progress(workerId, jobId, result['output']);
    } else {
      const { output, error, stopPod } = result as { output?: unknown; error?: unknown; stopPod?: unknown };
      await queue.finished(workerId, jobId, { output, error: error ?? undefined }, stopPod === true);
    }
    return context.json({});
  });

  app.post(`${base}/job-stream/:workerId/:jobId`, async (context) => {
    const queue = queueOf(context);
    const [workerId, jobId] = [parameter(context, 'workerId'), parameter(context, 'jobId')];
    const { output, error } = (await readResult(context)) as { output?: unknown; error?: unknown };
    // A chunk has no error of its own: this one could not be read, and without it the others are not what the worker said.
    if (error !== undefined) await queue.finished(workerId, jobId, { error }, false);
    else queue.chunk(workerId, jobId, output ?? null);
    return context.json({});
  });

  app.get(`${base}/ping/:workerId`, (context) => {
    const jobIds = context.req.query('job_id')?.split(',') ?? [];
    queueOf(context).ping(parameter(context, 'workerId'), jobIds);
    return context.json({});
  });
}

const parameter = (context: RequestContext, name: string): string => context.req.param(name) ?? '';

async function take(context: RequestContext, queue: QueueEndpoint, limit: number): Promise<readonly JobRecord[]> {
  const hasJobs = context.req.query('job_in_progress') === '1';
  const userAgent = context.req.header('User-Agent') ?? '';
  const workerId = parameter(context, 'workerId');
  const jobs = await queue.take(workerId, { limit, hasJobs, userAgent }, context.req.raw.signal);
  if (jobs.length > 0) returnIfUndelivered(context, queue, jobs);
  return jobs;
}

/** A worker that hung up before it had the whole answer knows nothing of the jobs: they go back to the queue. */
function returnIfUndelivered(context: RequestContext, queue: QueueEndpoint, jobs: readonly JobRecord[]): void {
  const { outgoing } = context.env;
  const workerId = parameter(context, 'workerId');
  const onClose = (): void => {
    if (!outgoing.writableFinished) for (const job of jobs) queue.undelivered(workerId, job);
  };
  if (outgoing.closed) onClose();
  else outgoing.once('close', onClose);
}

/**
 * Workers send JSON whatever their content type says. What cannot be read fails the job with a text that says why; the worker is answered
 * with success all the same: it would only try again, or drop the result and leave the job to its timeout.
 */
async function readResult(context: RequestContext): Promise<Record<string, unknown>> {
  const kind = jobKind(parameter(context, 'jobId'));
  try {
    const text = await readBody(context, MAX_RESULT_BYTES[kind]);
    return parseResult(text);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      error: `the result is larger than the ${MAX_RESULT_BYTES[kind]} bytes that a job of /${kind} may return; return an address of it instead`,
    };
  }
}

function parseResult(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : { output: value };
  } catch (failure) {
    const hint = /\b(NaN|Infinity)\b/.test(text) ? ' (it holds NaN or Infinity, which JSON does not have)' : '';
    return { error: `the worker's result is not valid JSON${hint}: ${(failure as Error).message}` };
  }
}
