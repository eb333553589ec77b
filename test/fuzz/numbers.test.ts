import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { cleanUp, dataDirectory, endpointBody, platformForTest, type Api } from '../platform/support.ts';
import { hostileNumbers, isWithin, numericFields, withNumber, type NumericField } from './numericFields.ts';

/*
 * Tests every number of every request at, near, and far beyond its bounds. The response to a value beyond the bounds must contain the field's
 * name. After accepted values, the platform must keep running and must restart on the same data directory.
 */

const rows: Record<string, Operation> = { ...operations, ...controlOperations };

function rowOf(id: string): Operation {
  const row = rows[id];
  assert.ok(row, id);
  return row;
}

const cpuEndpoint = endpointBody({
  image: 'example/none:1',
  workers: { min: 0, max: 0, idleTimeout: 10 },
  scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
  timeout: 1_000,
});
const gpuEndpoint = {
  ...endpointBody({ cpu: undefined, gpu: { pools: ['ADA_24'], count: 1 }, workers: { min: 0, max: 0 } }),
  scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
};
const template = { name: 't', image: 'i', disk: 1, mounts: { persistent: { size: 10, path: '/p' } } };
const volume = { name: 'v', size: 10, dataCenter: 'EU-RO-1' };
const quotas = { minute: 1_000, hour: 1_000, day: 1_000 };
const user = { name: 'u', quotas, invocationQuotas: quotas };
const policy = { executionTimeout: 5_000, ttl: 86_400_000 };
const change = { workers: { min: 0, max: 0, idleTimeout: 10 }, disk: 1, timeout: 1_000 };

/** Valid bodies that together contain every number of an operation. */
const bodies: Record<string, (endpoint: string) => object[]> = {
  createEndpoint: () => [cpuEndpoint, gpuEndpoint],
  updateEndpoint: () => [
    { ...change, cpu: cpuEndpoint.cpu, scaling: cpuEndpoint.scaling },
    { gpu: { count: 1 } },
    { scaling: gpuEndpoint.scaling },
  ],
  createTemplate: () => [template],
  updateTemplate: () => [template],
  createNetworkVolume: () => [volume],
  updateNetworkVolume: () => [{ size: 10 }],
  runJob: () => [{ input: {}, policy }],
  runJobSync: () => [{ input: {}, policy }],
  editImage: () => [{ input: { prompt: 'rotate', image: 'http://127.0.0.1:9/none.png', seed: 1 } }],
  createUser: () => [user],
  createTeam: () => [user],
  createSession: () => [{ lifetimeMs: 1_000 }],
  addFault: () => [{ operation: 'purgeQueue', status: 500, delayMs: 1, rate: 1, count: 1 }],
  addDisturbance: () => [{ message: 'take', at: 1, effect: 'expireLease', holdFor: 1 }],
  setClock: () => [{ advanceMs: 1 }],
  seed: (endpoint) => [
    {
      templates: [template],
      networkVolumes: [volume],
      endpoints: [cpuEndpoint, gpuEndpoint],
      users: [user],
      teams: [user],
      jobs: [{ endpoint, status: 'COMPLETED', delayTime: 1, executionTime: 1, policy }],
      usage: [{ kind: 'podGpu', resource: 'p', usd: 1, at: '-1h' }],
    },
  ],
};

interface Attempt {
  readonly id: string;
  readonly field: NumericField;
  readonly text: string;
  readonly query?: Record<string, string>;
  readonly body?: string;
}

function attemptsOf(id: string, endpoint: string): Attempt[] {
  const { body, query } = rowOf(id);
  const inBody = numericFields(body ?? NOTHING).flatMap((field) => {
    const base = bodies[id]?.(endpoint).find((one) => withNumber(one, field.path, '1') !== undefined);
    assert.ok(base, `no body in this test has the number of ${id} at ${field.path.join('.')}`);
    return hostileNumbers(field).map((text) => ({ id, field, text, body: withNumber(base, field.path, text) ?? '' }));
  });
  const base = bodies[id]?.(endpoint)[0];
  const inQuery = numericFields(query ?? NOTHING).flatMap((field) =>
    hostileNumbers(field)
      .filter((text) => !text.startsWith('"'))
      .map((text) => ({
        ...{
          id,
          field,
          text,
          query: { [field.path[0] ?? '']: text, ...(query && 'bucketSize' in query.shape ? FEW_BUCKETS : {}) },
        },
        ...(base ? { body: JSON.stringify(base) } : {}),
      })),
  );
  return [...inBody, ...inQuery];
}

/** Keeps bills with a large lastN small. Another test covers a bill with hundreds of thousands of records. */
const FEW_BUCKETS = { bucketSize: 'year' };

/** Number of concurrent requests. */
const AT_ONCE = 10;

const NOTHING = operations.listContainerRegistryAuths.success.body;

/** Returns true if the request is documented to wait. The test omits such requests. */
const waits = ({ id, field, text, query }: Attempt): boolean =>
  (id === 'runJobSync' && (!query || isWithin(field, text))) || (id === 'setClock' && isWithin(field, text));

describe('Numbers', () => {
  after(cleanUp);

  it('at, near, and far beyond their bounds neither stop the platform nor prevent a restart', async () => {
    const dataDir = await dataDirectory();
    const logged: string[] = [];
    const log = pino(
      new Writable({
        write: (line: Buffer, _, done) => {
          logged.push(line.toString());
          done();
        },
      }),
    );
    const { platform, api } = await platformForTest({ dataDir, log });
    const ids = await prepare(api);
    const accepted = new Map<string, string[]>();
    let refused = 0;
    const attempts = Object.keys(rows).flatMap((id) => attemptsOf(id, ids['endpointId'] ?? ''));
    const left = attempts.filter((attempt) => !waits(attempt)).values();
    const sender = async (): Promise<void> => {
      for (const attempt of left) {
        const created = await sendAttempt(api, attempt, ids);
        if (created === undefined) refused++;
        else accepted.set(attempt.id, [...(accepted.get(attempt.id) ?? []), created]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
    assert.ok(refused > 1_000, `only ${refused} were refused`);
    await assertAnswers(api, accepted);
    await platform.close();

    const second = await platformForTest({ dataDir, log });
    await assertAnswers(second.api, accepted);
    const advanced = { body: { advanceMs: 10 * 366 * 86_400_000 } };
    await second.api.call(controlOperations.setClock, advanced);
    await assertAnswers(second.api, new Map());
    await second.platform.close();
    assert.deepEqual(
      logged.filter((line) => /set aside|request failed/.test(line)),
      [],
    );
  }).timeout(600_000);
});

/** Creates the resources that the paths of the operations refer to, and returns their IDs. */
async function prepare(api: Api): Promise<Record<string, string>> {
  const endpoint = await api.call(operations.createEndpoint, { body: cpuEndpoint });
  const { id: templateId } = await api.call(operations.createTemplate, { body: template });
  const { id: volumeId } = await api.call(operations.createNetworkVolume, { body: volume });
  await api.call(controlOperations.seed, {
    body: { jobs: [{ endpoint: endpoint.id, id: 'finished', status: 'COMPLETED', output: 1 }] },
  });
  return { id: endpoint.id, endpointId: endpoint.id, templateId, volumeId, jobId: 'finished', workerId: 'none' };
}

/** Sends an attempt. Returns the ID of the created resource, '' if there is none, or undefined if it was refused. */
async function sendAttempt(
  api: Api,
  attempt: Attempt,
  ids: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { id, field, text, query = {}, body } = attempt;
  const row = rowOf(id);
  const own = {
    ...ids,
    ...(/[tT]emplate/.test(id) ? { id: ids['templateId'] } : {}),
    ...(id.includes('Volume') ? { id: ids['volumeId'] } : {}),
  };
  const parameters = own as never;
  const init = body === undefined ? {} : { body, headers: { Authorization: `Bearer ${api.addresses.apiKey}` } };
  const response = await api.fetch(row, { parameters, query }, { ...init, signal: AbortSignal.timeout(30_000) });
  const about = `${id} ${field.path.join('.')} = ${text}: ${response.status}`;
  if (row.success.events && response.ok) {
    await response.body?.cancel();
    return '';
  }
  const answer = await response.text();
  assert.ok(response.status < 500, `${about} ${answer}`);
  if (response.status < 300) {
    const isText = text === 'null' || text.startsWith('"');
    if (!isText || body === undefined) {
      assert.ok(isWithin(field, text), `${about} is accepted beyond its bounds`);
    }
    return answer === '' ? '' : ((JSON.parse(answer) as { id?: string }).id ?? '');
  }
  const name = field.path.findLast((segment) => segment !== '*') ?? '';
  if (!isWithin(field, text)) assert.ok(answer.includes(name), `${about} does not name the field: ${answer}`);
  return undefined;
}

/** Asserts that all accepted resources and all bills can be read. */
async function assertAnswers(api: Api, accepted: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const { endpoints } = await api.call(operations.listEndpoints);
  const { templates } = await api.call(operations.listTemplates);
  const { networkVolumes } = await api.call(operations.listNetworkVolumes);
  const { accounts } = await api.call(controlOperations.listAccounts);
  const known = new Set([...endpoints, ...templates, ...networkVolumes, ...accounts].map(({ id }) => id));
  for (const kind of ['createEndpoint', 'createTemplate', 'createNetworkVolume', 'createUser', 'createTeam']) {
    for (const id of accepted.get(kind) ?? []) assert.ok(known.has(id), `${kind} ${id} is missing`);
  }
  for (const { id } of endpoints) {
    await api.call(operations.listEndpointWorkers, { parameters: { id } });
    await api.call(operations.listEndpointReleases, { parameters: { id } });
    await api.call(operations.getEndpointHealth, { parameters: { endpointId: id } });
  }
  const reports = ['listBilling', 'listPodBilling', 'listServerlessBilling', 'listNetworkVolumeBilling'] as const;
  for (const bucketSize of ['hour', 'day', 'week', 'month', 'year'] as const) {
    for (const id of reports) await api.call(operations[id], { query: { bucketSize } });
  }
}
