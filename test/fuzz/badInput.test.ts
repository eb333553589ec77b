// Clauses of the interface: Errors, invocation status codes.
import assert from 'node:assert/strict';
import process from 'node:process';
import * as fc from 'fast-check';
import { MessageError, Problem, QueueError, RouteError } from '../../src/contract/problem.ts';
import { operations } from '../../src/contract/operations.ts';
import { cleanUp, platformForTest, type Api } from '../platform/support.ts';
import { seed } from '../support/seed.ts';
import { exchange, type FuzzAnswer } from './exchange.ts';
import { requests, targets, type FuzzRequest } from './requests.ts';

/*
 * Sends thousands of nearly valid requests. `npm run test:fuzz` is the long form, and `npm test` sends a tenth. A failure prints the seed
 * and the request. CLOUD_COMPUTE_SEED sets the seed and reproduces the failure.
 */

const COUNT = process.env['CLOUD_COMPUTE_FAULTS'] === 'short' ? 1_000 : 10_000;
/** Number of concurrent requests. */
const AT_ONCE = 20;

describe('Invalid requests', () => {
  after(cleanUp);

  it(`get documented responses, without failures, hangs, or memory growth over ${COUNT} requests`, async () => {
    const { api } = await platformForTest({ apiKey: 'the-key' });
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 1 } });
    const { id: jobId } = await api.run(endpoint, { do: 'echo' }, { policy: { ttl: 600_000 } });
    const ids = { id: endpoint.id, endpointId: endpoint.id, jobId, workerId: 'none' };
    const samples = fc.sample(requests(ids), COUNT);
    const statuses = new Map<number, number>();
    // The first tenth warms up compiled code, caches, and pools.
    await send(api, samples.slice(0, COUNT / 10), statuses);
    const before = await resources();
    await send(api, samples.slice(COUNT / 10), statuses);
    const afterwards = await resources();

    assert.ok(afterwards.handles <= before.handles + 5, `handles grew from ${before.handles} to ${afterwards.handles}`);
    assert.ok(
      afterwards.heap < before.heap * 1.5 + 40e6,
      `the heap grew from ${before.heap} to ${afterwards.heap} bytes`,
    );
    assert.ok(!('polluted' in {}), 'a prototype was changed');
    // The requests must reach every stage of validation.
    assert.ok(
      ['400', '401', '403', '404', '405', '422'].every((status) => (statuses.get(Number(status)) ?? 0) > 0),
      String([...statuses]),
    );
    await api.call(operations.listEndpoints);
  }).timeout(60_000 + COUNT * 100);

  it('cover every documented operation', () => {
    const known = new Set(targets.map(({ operation }) => operation.operationId));
    for (const id of Object.keys(operations)) assert.ok(known.has(id), id);
  });
});

async function send(api: Api, samples: readonly FuzzRequest[], statuses: Map<number, number>): Promise<void> {
  const port = Number(new URL(api.addresses.baseUrl).port);
  const waiting = samples.values();
  const failures: string[] = [];
  const worker = async (): Promise<void> => {
    for (const request of waiting) {
      // Skips operations that are documented to wait.
      if (waits(request)) continue;
      const answer = await exchange(port, api.addresses.apiKey, request).catch((error: unknown) => error as Error);
      if (answer instanceof Error) {
        failures.push(`${describeRequest(request)}: ${answer.message}`);
        continue;
      }
      try {
        check(request, answer);
      } catch (error) {
        failures.push(
          `${describeRequest(request)}: ${answer.status ?? 'no response'} ${answer.body.slice(0, 300)}: ${(error as Error).message.slice(0, 500)}`,
        );
      }
      if (answer.status !== undefined) statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  assert.equal(failures.length, 0, `${failures.length} of ${samples.length}:\n${failures.slice(0, 8).join('\n\n')}`);
}

const waits = ({ target }: FuzzRequest): boolean => /\/(runsync|status-sync|stream)\b/.test(target);

/** Statuses of refused invocations. */
const INVOCATION_STATUSES = [400, 401, 403, 404, 429];

function check(request: FuzzRequest, { status, type, body }: FuzzAnswer): void {
  const about = `${describeRequest(request)}\nanswered ${status} ${type}: ${body.slice(0, 500)}`;
  // Node itself answers malformed HTTP and closes the connection.
  assert.ok(status !== undefined, about);
  assert.ok(status < 500, about);
  if (status < 400 || request.method === 'HEAD') return;
  if (body.trim() === '' && [400, 413, 431].includes(status)) return;
  const path = request.target.split('?')[0] ?? '';
  const error: unknown = JSON.parse(body);
  const forWorker = request.headers.findLast(([name]) => name === 'X-Fuzz-Host')?.[1] === 'a.localhost';
  const isRoute = forWorker || path.startsWith('/endpoints/');
  if (isRoute || path.startsWith('/queue/v2/')) assert.ok(INVOCATION_STATUSES.includes(status), about);
  if (isRoute) RouteError.parse(error, { error: () => about });
  else if (path.startsWith('/queue/v2/') || path.startsWith('/worker/')) {
    const { id } = QueueError.parse(error, { error: () => about });
    assert.equal(id !== undefined, path.startsWith('/queue/v2/image-edit/'), about);
  } else if (path.startsWith('/v1/')) {
    MessageError.parse(error, { error: () => about });
  } else {
    assert.equal(type, 'application/problem+json', about);
    const problem = Problem.parse(error, { error: () => about });
    assert.equal(problem.status, status, about);
    if (status === 422)
      assert.ok((problem.errors ?? []).every((line) => line.startsWith('$')) && problem.errors?.length, about);
  }
}

function describeRequest({ operation, method, target, headers, body }: FuzzRequest): string {
  const text = body?.toString('latin1').slice(0, 300) ?? '';
  return `seed ${seed}, ${operation}: ${method} ${JSON.stringify(target.slice(0, 300))} ${JSON.stringify(headers).slice(0, 300)} ${JSON.stringify(text)}`;
}

/** Returns the resources of this process after a garbage collection. */
async function resources(): Promise<{ handles: number; heap: number }> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  globalThis.gc?.();
  return { handles: process.getActiveResourcesInfo().length, heap: process.memoryUsage().heapUsed };
}
