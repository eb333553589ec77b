import assert from 'node:assert/strict';
import type { Client } from '../../../src/client/client.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import type { CallContext } from '../../../src/agents/actions/agentTool.ts';
import { endpointSummary, findEndpoint, findQueueEndpoint } from '../../../src/agents/actions/findEndpoint.ts';
import { jobResult, needsLog } from '../../../src/agents/actions/jobResult.ts';
import { workersToRead } from '../../../src/agents/actions/readLogLines.ts';
import { ToolError } from '../../../src/agents/model/toolError.ts';

/* Results and objects of tools on a platform with more objects than a test could start. */

const endpoint = (changes: Partial<Endpoint>) => ({ id: 'e1', name: 'one', type: 'QUEUE', ...changes }) as Endpoint;

describe('The result of a job for a model', () => {
  it('has the times, the worker, and the output that are known', () => {
    const done = { id: 'j', status: 'COMPLETED', delayTime: 0, executionTime: 5, workerId: 'w', output: null } as const;
    const { note: _, ...result } = jobResult(done) as Record<string, unknown>;
    assert.deepEqual(result, {
      ...{ id: 'j', status: 'COMPLETED', isFinished: true, queueMs: 0, executionMs: 5, workerId: 'w', output: null },
    });
  });

  it('has the error in parts, or unchanged if it is empty', () => {
    const errorOf = (error: string) =>
      (jobResult({ id: 'j', status: 'FAILED', error }) as Record<string, unknown>)['jobError'];
    const exception = { error_type: "<class 'ValueError'>", error_message: 'wrong', error_traceback: 'in handler' };
    assert.deepEqual(errorOf(JSON.stringify(exception)), {
      type: 'ValueError',
      message: 'wrong',
      traceback: 'in handler',
    });
    assert.equal(errorOf(''), '');
  });

  it('says what to do next only while the job is unfinished', () => {
    const { note: _, next, ...result } = jobResult({ id: 'j', status: 'IN_QUEUE' }) as Record<string, unknown>;
    assert.deepEqual(result, { id: 'j', status: 'IN_QUEUE', isFinished: false });
    assert.match(String(next), /read_job/);
  });

  it('has the log only if the log explains its end', () => {
    const statuses = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const;
    assert.deepEqual(
      statuses.filter((status) => needsLog({ status })),
      ['FAILED', 'TIMED_OUT'],
    );
  });
});

describe('An endpoint for a model', () => {
  it('has the names of its environment variables, but not their values', () => {
    const summary = endpointSummary(endpoint({ env: { TOKEN: 'secret', MODE: 'fast' } }));
    assert.deepEqual((summary as Endpoint).env, ['TOKEN', 'MODE']);
    assert.doesNotMatch(JSON.stringify(summary), /secret|fast/);
    assert.deepEqual((endpointSummary(endpoint({})) as Endpoint).env, []);
  });
});

describe('The endpoint of a call', () => {
  const hidden: string[] = [];
  const context = (endpoints: readonly Endpoint[]) =>
    ({
      connection: () => ({
        name: 'Mine',
        client: { listEndpoints: () => Promise.resolve({ endpoints }) } as unknown as Client,
      }),
      signal: new AbortController().signal,
      hide: (values: readonly string[]) => void hidden.push(...values),
    }) as unknown as CallContext;
  const refused = async (task: Promise<unknown>): Promise<ToolError> => {
    const error = await task.catch((reason: unknown) => reason);
    return error instanceof ToolError ? error : assert.fail(String(error));
  };

  it('is found by its ID first, then by its name', async () => {
    const endpoints = [endpoint({ id: 'a', name: 'b' }), endpoint({ id: 'b', name: 'other' })];
    assert.equal((await findEndpoint(context(endpoints), 'b')).name, 'other');
    assert.equal((await findEndpoint(context(endpoints), 'other')).id, 'b');
  });

  it('keeps the keys in its environment out of the result', async () => {
    hidden.length = 0;
    await findEndpoint(context([endpoint({ env: { API_KEY: 'key-1234567890' } })]), 'one');
    assert.deepEqual(hidden, ['key-1234567890']);
  });

  it('must exist once: otherwise the error names what there is', async () => {
    const many = Array.from({ length: 25 }, (_, index) => endpoint({ id: `e${index}`, name: `n${index}` }));
    const missing = await refused(findEndpoint(context(many), 'x'));
    assert.equal(missing.code, 'notFound');
    assert.equal(missing.message.match(/“n\d+” \(e\d+\)/g)?.length, 20);
    const [single] = many;
    assert.match((await refused(findEndpoint(context(single ? [single] : []), 'x'))).message, /are “n0” \(e0\)\.$/);
    assert.match((await refused(findEndpoint(context([]), 'x'))).message, /It has no endpoints\.$/);
    const twins = [endpoint({ id: 'a' }), endpoint({ id: 'b' })];
    const ambiguous = await refused(findEndpoint(context(twins), 'one'));
    assert.equal(ambiguous.code, 'ambiguous');
    assert.match(ambiguous.message, /a, b\.$/);
  });

  it('is refused for a job if it is load-balanced', async () => {
    const error = await refused(findQueueEndpoint(context([endpoint({ type: 'LOAD_BALANCER' })]), 'one'));
    assert.equal(error.code, 'notPossible');
    assert.equal((await findQueueEndpoint(context([endpoint({})]), 'one')).id, 'e1');
  });
});

describe('The workers whose logs a call reads', () => {
  const context = (count: number) => {
    const workers = Array.from({ length: count }, (_, index) => ({ id: `w${index}` }));
    const client = { listEndpointWorkers: () => Promise.resolve({ workers }) } as unknown as Client;
    return { connection: () => ({ client }), signal: new AbortController().signal } as unknown as CallContext;
  };

  it('are at most eight, with the number of the others', async () => {
    for (const [count, read, leftOut] of [
      [0, 0, 0],
      [1, 1, 0],
      [8, 8, 0],
      [11, 8, 3],
    ] as const) {
      const found = await workersToRead(context(count), endpoint({}), undefined);
      assert.deepEqual([found.ids.length, found.leftOut], [read, leftOut]);
    }
  });

  it('are only the given one, which can have ended', async () => {
    assert.deepEqual(await workersToRead(context(3), endpoint({}), 'gone'), { ids: ['gone'], leftOut: 0 });
  });
});
