import { isTerminal, MAX_RUN_SYNC_BYTES } from '../../contract/job.ts';
import { MAX_JOB_LIFE_MS } from '../../contract/bounds.ts';
import { parseWorkerError } from '../../contract/workerError.ts';
import {
  openAiOperations,
  openAiSegments,
  OpenAiWorkerError,
  type OpenAiBody,
  type OpenAiInput,
} from '../../contract/openAi.ts';
import type { JobRecord } from '../domain/job.ts';
import { wholeJson } from '../domain/largeJson.ts';
import { Refusal } from '../domain/refusal.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';
import type { Delivery } from '../queue/deliveries.ts';
import type { EndpointJobs } from '../queue/endpointJobs.ts';
import type { App, Services } from './services.ts';
import { callerTrace, EventStream, route, StatusAnswer, type RouteRequest } from './route.ts';

/* The OpenAI-compatible API of queue endpoints. A job carries each request to a worker, and its output is the response. */

/** Maximum time to wait for a chunk before the job is checked again, in ms. */
const CHUNK_WAIT_MS = 30_000;

export function openAiRoutes(app: App, { engine }: Services): void {
  for (const row of openAiOperations) {
    route(app, row, (request) => answer(request, engine), { maxBodyBytes: MAX_RUN_SYNC_BYTES });
  }
}

type Request = RouteRequest<(typeof openAiOperations)[number]>;

async function answer(
  { parameters, accountId, body, exchange }: Request,
  engine: Services['engine'],
): Promise<unknown> {
  const queue = endpointsOf(engine, accountId).queue(parameters.endpointId);
  const input: OpenAiInput = { openai_route: `/${openAiSegments(parameters).join('/')}`, openai_input: body };
  const { signal } = exchange;
  const { id } = await queue.submit({ input: { ...input } }, { kind: 'runsync', traceParent: callerTrace(exchange) });
  const { jobs } = queue;
  signal.addEventListener('abort', () => cancel(jobs, id), { once: true });
  if (signal.aborted) cancel(jobs, id);
  if ((body as OpenAiBody | undefined)?.stream === true) return streamOf(jobs, id, signal);
  return responseOf(await jobs.waitFor(jobs.get(id), MAX_JOB_LIFE_MS, signal));
}

/** Cancels the job of a caller that disconnected. The job can have ended and expired in the meantime. */
function cancel(jobs: EndpointJobs, id: string): void {
  try {
    if (!isTerminal(jobs.get(id).status)) jobs.cancel(id);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Returns the response of a job that has ended. Workers return a list with one item, because their handlers are generators. */
function responseOf({ status, output: stored, error }: JobRecord): unknown {
  if (status !== 'COMPLETED') throw new Refusal(503, reasonOf({ status, error }));
  const output = wholeJson(stored);
  const [first, ...others] = Array.isArray(output) ? (output as unknown[]) : [output];
  const response = others.length === 0 ? first : output;
  const failed = OpenAiWorkerError.safeParse(response);
  if (failed.success) return new StatusAnswer(failed.data.code ?? 500, response);
  return response ?? null;
}

/** Returns the error of a job without its traceback, because chats show it to their users. */
function reasonOf({ status, error }: Pick<JobRecord, 'status' | 'error'>): string {
  const { type, message } = parseWorkerError(error) ?? { message: `the job is ${status}` };
  return type === undefined ? message : `${type}: ${message}`;
}

/** Resolves once the worker has produced output, so that an earlier failure is an error response. @throws Refusal */
async function streamOf(jobs: EndpointJobs, id: string, signal: AbortSignal): Promise<unknown> {
  const first = await jobs.takeChunks(id, MAX_JOB_LIFE_MS, signal);
  if (!first.delivery) {
    // Without chunks, the job has ended, or the caller is gone.
    const job = jobs.get(id);
    const response = isTerminal(job.status) ? responseOf(job) : undefined;
    if (response instanceof StatusAnswer) return response;
    return new EventStream(ReadableStream.from(encoded([response])));
  }
  return new EventStream(ReadableStream.from(encoded(chunksOf(first.delivery, jobs, id, signal))));
}

/** Yields the chunks of a job until it ends. A failure becomes the last event. */
async function* chunksOf(first: Delivery, jobs: EndpointJobs, id: string, signal: AbortSignal) {
  yield* contentOf(first);
  while (!signal.aborted) {
    const { status, delivery } = await jobs.takeChunks(id, CHUNK_WAIT_MS, signal);
    if (delivery) yield* contentOf(delivery);
    if (delivery || !isTerminal(status)) continue;
    if (status !== 'COMPLETED') yield { error: { message: reasonOf(jobs.get(id)), type: 'server_error' } };
    return;
  }
}

function* contentOf(delivery: Delivery) {
  try {
    yield* delivery.chunks;
    delivery.arrived();
  } finally {
    delivery.returned();
  }
}

/** Encodes chunks as events. A worker that yields text has already formatted its events. */
async function* encoded(chunks: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  for await (const chunk of chunks)
    yield encoder.encode(typeof chunk === 'string' ? chunk : `data: ${JSON.stringify(chunk)}\n\n`);
}
