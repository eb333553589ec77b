import { TRACE_PARENT_MEMBER } from '../../contract/headers.ts';
import { WORKER_PATH } from '../../contract/launch/localPlatform.ts';
import { Refusal } from '../domain/refusal.ts';
import { attemptContext, traceParent } from '../domain/traceContext.ts';
import { jobKind } from '../ids.ts';
import type { TakenJob } from '../queue/jobQueue.ts';
import type { QueueEndpoint } from '../queue/queueEndpoint.ts';
import type { Services, App } from './services.ts';
import { json, NO_CONTENT, type Answer } from '../http/answer.ts';
import { readBytes, parseResult } from '../http/jsonBody.ts';
import type { Exchange } from '../http/exchange.ts';

/*
 * The protocol of the public worker SDK. The worker's token is in the Authorization header, or the query parameter `t`. The header is only
 * compared with the token, and never logged or stored, because SDKs may send another service's key there.
 */

/**
 * Maximum size of a result or chunk, in bytes. The hosted platform drops a larger result and marks its job COMPLETED without output. Here
 * the job fails with an error that names the limit (docs/hosted-and-local.md, "Oversized results").
 */
const MAX_RESULT_BYTES = { run: 10 * 1_048_576, runsync: 20 * 1_048_576 };
const MAX_BATCH = 100;

export function workerProtocolRoutes(app: App, { engine, bodies, spans }: Services): void {
  const exportsTraces = spans !== undefined;
  /** Adds a route that authenticates its caller by the worker's token only. */
  const on = (method: string, path: string, serve: (call: WorkerCall) => Answer | Promise<Answer>): void => {
    const template = `${WORKER_PATH}/{endpointId}/${path}`;
    app.on(method, template, (exchange) => serve(callOf(exchange)), { open: true });
  };

  const callOf = (exchange: Exchange): WorkerCall => {
    const { endpointId = '', workerId = '', jobId = '' } = exchange.parameters;
    const { query } = exchange;
    const token = query['t'] ?? exchange.header('Authorization')?.replace(/^Bearer /, '') ?? '';
    const peer = exchange.incoming.socket.remoteAddress;
    const queue = engine.queueOfWorker(endpointId, { workerId, token, peer });
    if (!queue) throw new Refusal(401, 'unknown worker, or wrong worker token');
    return { exchange, queue, workerId, jobId, query };
  };

  on('GET', 'job-take/{workerId}', async (call) => {
    const [job] = await take(call, 1);
    return job ? json(jobForWorker(job, exportsTraces)) : NO_CONTENT;
  });

  on('GET', 'job-take-batch/{workerId}', async (call) => {
    const size = Math.trunc(Number(call.query['batch_size'] ?? 1)) || 1;
    const jobs = await take(call, Math.max(1, Math.min(size, MAX_BATCH)));
    return jobs.length > 0 ? json(jobs.map((job) => jobForWorker(job, exportsTraces))) : NO_CONTENT;
  });

  on('GET', 'job-stop/{workerId}', async ({ exchange, queue, workerId }) => {
    const ids = await queue.jobsToStop(workerId, exchange.signal);
    return ids ? json({ jobsToStop: ids }) : NO_CONTENT;
  });

  on('POST', 'job-done/{workerId}/{jobId}', async (call) => {
    const { queue, workerId, jobId } = call;
    const result = await readResult(call, (bytes) => bodies.result(bytes));
    if (result['status'] === 'IN_PROGRESS') {
      const { output, error } = result as { output?: unknown; error?: string };
      // A lost progress report does not fail the job.
      if (error === undefined) await queue.progress(workerId, jobId, output);
      else queue.note(workerId, { kind: 'reportLeftOut', jobId, reason: error });
      const { effect, released } = queue.disturbances.next('progress') ?? {};
      if (effect === 'killWorker') await queue.killWorker(workerId);
      else if (effect === 'expireLease') queue.expireLease(jobId);
      await released?.();
    } else {
      const { effect, released } = queue.disturbances.next('result') ?? {};
      if (effect === 'killWorker') {
        await queue.killWorker(workerId);
        return json({});
      }
      if (effect === 'loseResult') {
        queue.loseResult(workerId, jobId);
        return json({});
      }
      if (effect === 'expireLease') queue.expireLease(jobId);
      const { output, error, stopPod } = result as { output?: unknown; error?: unknown; stopPod?: unknown };
      await queue.finished(workerId, jobId, { output, error: error ?? undefined }, stopPod === true);
      queue.disturbances.releaseAll();
      await released?.();
      if (effect === 'loseAnswer')
        throw new Refusal(503, 'the result is stored, and its answer is lost (injected fault)');
    }
    return json({});
  });

  on('POST', 'job-stream/{workerId}/{jobId}', async (call) => {
    const { queue, workerId, jobId } = call;
    const { output, error } = (await readResult(call, (bytes) => parseResult(bytes.toString('utf8')))) as {
      output?: unknown;
      error?: unknown;
    };
    // Chunks have no error field, so the chunk itself was unreadable. The job fails, because its output would be incomplete.
    if (error !== undefined) await queue.finished(workerId, jobId, { error }, false);
    else await queue.chunk(workerId, jobId, output ?? null);
    return json({});
  });

  on('GET', 'ping/{workerId}', ({ queue, workerId, query }) => {
    queue.ping(workerId, query['job_id']?.split(',') ?? []);
    return json({});
  });
}

/** A request of an authenticated worker. */
interface WorkerCall {
  readonly exchange: Exchange;
  readonly queue: QueueEndpoint;
  readonly workerId: string;
  readonly jobId: string;
  readonly query: Readonly<Record<string, string>>;
}

/**
 * Formats a job for workers: all members of the request, the job's ID, and the trace that the handler continues. SDKs pass members that they
 * do not know to the handler. A member of the request with the same name remains.
 */
const jobForWorker = (
  { job: { id, traceParent: caller, retries }, request }: TakenJob,
  exportsTraces: boolean,
): Record<string, unknown> => {
  // Without an export, the spans of the platform exist nowhere, so the span of the caller is the parent.
  const trace = exportsTraces ? traceParent(attemptContext(id, caller, retries + 1)) : caller;
  return { ...(trace !== undefined && { [TRACE_PARENT_MEMBER]: trace }), ...request, id };
};

async function take({ exchange, queue, workerId, query }: WorkerCall, limit: number): Promise<readonly TakenJob[]> {
  const hasJobs = query['job_in_progress'] === '1';
  const userAgent = exchange.header('User-Agent') ?? '';
  const request = queue.disturbances.next('request');
  if (request?.effect === 'killWorker') await queue.killWorker(workerId);
  await request?.released();
  const jobs = await queue.take(workerId, { limit, hasJobs, userAgent }, exchange.signal);
  const { effect, released } = (jobs.length > 0 ? queue.disturbances.next('take') : undefined) ?? {};
  if (effect === 'killWorker') await queue.killWorker(workerId);
  else if (effect === 'expireLease') for (const { job } of jobs) queue.expireLease(job.id);
  await released?.();
  if (jobs.length > 0) returnIfUndelivered(exchange, (job) => queue.undelivered(workerId, job), jobs);
  return jobs;
}

/** Returns the jobs to the queue if the worker disconnects before it has received the whole response. */
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
 * Reads a result as JSON, regardless of its content type. An unreadable result becomes an `error` that fails the job. The worker still
 * receives a success status, because it would otherwise retry, or drop the result and leave the job to its timeout.
 */
async function readResult(
  { exchange, jobId }: WorkerCall,
  parse: (bytes: Buffer) => Promise<Record<string, unknown>> | Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const kind = jobKind(jobId);
  try {
    return await parse(await readBytes(exchange, MAX_RESULT_BYTES[kind]));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      error: `the result is larger than the ${MAX_RESULT_BYTES[kind]} bytes that a job of /${kind} may return; return a URL to it instead`,
    };
  }
}
