import assert from 'node:assert/strict';
import type { Client } from '../../../../src/client/client.ts';
import type { CreateEndpointBody, Endpoint } from '../../../../src/contract/endpoint.ts';
import type { Worker } from '../../../../src/contract/worker.ts';
import { verifyDeployment, type VerifyOptions } from '../../../../src/features/manifest/actions/verifyDeployment.ts';
import { isVerified, type Verification } from '../../../../src/features/manifest/model/deployment/verification.ts';
import { cleanUp, endpointBody, eventually } from '../../../platform/support.ts';
import { endpoint as sample, worker } from '../../endpoints/sample.ts';
import { storeOnPlatform } from '../../storeOnPlatform.ts';
import { COMMANDS, standIn, type StandInAnswer } from './deploying.ts';

const LIMIT_MS = 120_000;

function verify(client: Client, endpoint: Endpoint, options: Partial<VerifyOptions> = {}): Promise<Verification> {
  return verifyDeployment(client, endpoint, {
    ...{ platform: 'local', limitMs: LIMIT_MS, signal: new AbortController().signal },
    ...options,
  });
}

describe('The verification of an endpoint on the local platform', () => {
  let client: Client;

  before(async () => {
    ({ client } = await storeOnPlatform());
  });
  after(cleanUp);

  const create = (changes: Partial<CreateEndpointBody> = {}) =>
    client.createEndpoint({ body: endpointBody({ workers: { min: 1, max: 1 }, ...changes }) });

  it('is ready once a worker is up', async () => {
    const verification = await verify(client, await create());
    assert.deepEqual(verification, { outcome: 'ready', workers: 1 });
    assert.ok(isVerified(verification));
  });

  it('accepts an endpoint whose workers start with the first request, and tells whether it is paused', async () => {
    const waiting = await verify(client, await create({ workers: { min: 0, max: 1 } }));
    assert.deepEqual(waiting, { outcome: 'accepted', isPaused: false });
    const paused = await verify(client, await create({ workers: { min: 0, max: 0 } }));
    assert.deepEqual(paused, { outcome: 'accepted', isPaused: true });
    assert.ok(isVerified(paused));
  });

  it('fails with the reason if the workers crash at their start', async () => {
    const states: string[] = [];
    const verification = await verify(client, await create({ cmd: [...COMMANDS.crashes] }), {
      onState: ({ headline }) => states.push(headline),
    });
    assert.ok(verification.outcome === 'failed', verification.outcome);
    assert.equal(verification.diagnosis.cause, 'crashLoop');
    assert.ok(verification.diagnosis.evidence.includes('no model file'));
    assert.ok(states.includes(verification.diagnosis.headline), states.join());
    assert.ok(!isVerified(verification));
  });

  it('fails with the reason if the command does not exist', async () => {
    const verification = await verify(client, await create({ cmd: ['no-such-command-here'] }));
    assert.ok(verification.outcome === 'failed', verification.outcome);
    assert.match(verification.diagnosis.evidence.join('\n'), /no-such-command-here/);
  });

  it('ends if the worker does not ask for work in time, with the present state', async () => {
    const verification = await verify(client, await create({ cmd: [...COMMANDS.idles] }), { limitMs: 1 });
    assert.ok(verification.outcome === 'timedOut', verification.outcome);
    assert.equal(verification.diagnosis?.cause, 'starting');
    assert.ok(!isVerified(verification));
  });

  it('ends if another client deletes the endpoint in the meantime', async () => {
    const endpoint = await create({ cmd: [...COMMANDS.idles] });
    const deleted = Promise.withResolvers<unknown>();
    const verification = await verify(client, endpoint, {
      onState: () => deleted.resolve(client.deleteEndpoint({ id: endpoint.id })),
    });
    assert.deepEqual(verification, { outcome: 'gone' });
    await deleted.promise;
  });

  it('ends with an interruption, before the first reading and during the wait for the next one', async () => {
    const endpoint = await create({ cmd: [...COMMANDS.idles] });
    assert.deepEqual(await verify(client, endpoint, { signal: AbortSignal.abort() }), { outcome: 'interrupted' });
    const interrupted = new AbortController();
    const { signal } = interrupted;
    const verification = await verify(client, endpoint, { signal, onState: () => interrupted.abort() });
    assert.deepEqual(verification, { outcome: 'interrupted' });
  });

  it('does not blame a new version for the crashes of the earlier one', async () => {
    const endpoint = await create({ cmd: [...COMMANDS.crashes] });
    assert.equal((await verify(client, endpoint)).outcome, 'failed');
    const updated = await client.updateEndpoint({ id: endpoint.id, body: { cmd: [...COMMANDS.works] } });
    assert.deepEqual(await verify(client, updated), { outcome: 'ready', workers: 1 });
  });

  it('does not take a worker of the earlier version for one of a new version', async () => {
    const endpoint = await create();
    assert.equal((await verify(client, endpoint)).outcome, 'ready');
    // The worker of the earlier version is busy, so that it outlives the update.
    const { id: jobId } = await client.runJob({ endpointId: endpoint.id, body: { input: { do: 'deaf' } } });
    const address = { endpointId: endpoint.id, jobId };
    await eventually('the job runs', async () => (await client.getJobStatus(address)).status === 'IN_PROGRESS');
    const updated = await client.updateEndpoint({ id: endpoint.id, body: { cmd: [...COMMANDS.crashes] } });
    assert.equal((await verify(client, updated, { limitMs: 1 })).outcome, 'replacing');
  });
});

/** Returns the list of these workers. */
function listOf(workers: readonly Worker[]): object {
  const count = (status: string) => workers.filter((one) => one.status === status).length;
  const summary = {
    ...{ running: count('RUNNING'), idle: count('IDLE'), initializing: count('INITIALIZING') },
    ...{ throttled: count('THROTTLED'), unhealthy: count('UNHEALTHY'), total: workers.length },
  };
  return { workers, summary, endpointVersion: 2 };
}

describe('The verification of an endpoint on a hosted platform', () => {
  afterEach(cleanUp);

  const endpoint: Endpoint = { ...sample, workers: { min: 1, max: 1, idleTimeout: 10 } };

  /** @param answers responses to the list of workers, the last of which repeats */
  async function verifyAgainst(
    answers: readonly (readonly Worker[] | StandInAnswer)[],
    limitMs = LIMIT_MS,
  ): Promise<Verification> {
    let readings = 0;
    const client = await standIn((_method, path) => {
      if (path.endsWith('/logs')) return { status: 404, body: { title: 'not found', status: 404 } };
      if (!path.endsWith('/workers')) return { body: path.endsWith('/health') ? HEALTH : endpoint };
      const given = answers[Math.min(readings++, answers.length - 1)] ?? 'reset';
      return Array.isArray(given) ? { body: listOf(given as readonly Worker[]) } : (given as StandInAnswer);
    });
    return verify(client, endpoint, { platform: 'hosted', limitMs });
  }
  const HEALTH = {
    jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
    workers: { idle: 0, running: 0 },
  };
  const failed = { status: 503, body: { title: 'unavailable', status: 503 } };

  it('ignores a worker of the earlier version, whatever its state', async () => {
    const stale = (status: string) => worker('old', status, { isStale: true, version: 1 });
    const starting = worker('new', 'INITIALIZING');
    const sick = [stale('UNHEALTHY'), starting];
    assert.deepEqual(await verifyAgainst([sick, sick, sick, sick, [stale('UNHEALTHY'), worker('new')]]), {
      ...{ outcome: 'ready', workers: 1 },
    });
    assert.equal((await verifyAgainst([[stale('IDLE'), starting]])).outcome, 'timedOut');
  });

  it('tells that workers of the earlier version finish their jobs first', async () => {
    const busy = [worker('old', 'RUNNING', { isStale: true, version: 1 })];
    assert.deepEqual(await verifyAgainst([busy]), { outcome: 'replacing' });
    assert.equal((await verifyAgainst([[...busy, worker('new', 'INITIALIZING')]])).outcome, 'timedOut');
  });

  it('fails only if several readings in a row show the failure', async () => {
    const sick = [worker('w', 'UNHEALTHY')];
    const starting = [worker('w', 'INITIALIZING')];
    assert.equal((await verifyAgainst([sick, sick, starting, sick, sick, [worker('w')]])).outcome, 'ready');
    const verification = await verifyAgainst([sick, sick, sick, [worker('w')]]);
    assert.ok(verification.outcome === 'failed', verification.outcome);
    assert.equal(verification.diagnosis.cause, 'unhealthy');
  });

  it('waits for hardware until the time is over, because it can become free', async () => {
    const verification = await verifyAgainst([[worker('w', 'THROTTLED')]]);
    assert.ok(verification.outcome === 'timedOut', verification.outcome);
    assert.equal(verification.diagnosis?.cause, 'throttled');
    assert.equal((await verifyAgainst([[worker('w', 'THROTTLED')], [worker('w')]])).outcome, 'ready');
  });

  it('continues after a failure that passes, such as a restart of the platform', async () => {
    const readings: StandInAnswer[] = [...Array<StandInAnswer>(12).fill('reset'), failed, failed];
    assert.equal((await verifyAgainst([...readings, [worker('w')]])).outcome, 'ready');
  });

  it('does not know the state if the platform cannot be read any more', async () => {
    const lost = await verifyAgainst([[worker('w', 'INITIALIZING')], 'reset']);
    assert.ok(lost.outcome === 'unread', lost.outcome);
    assert.equal(lost.error.kind, 'network');
    const refused = await verifyAgainst([{ status: 401, body: { title: 'unauthorized', status: 401 } }, [worker('w')]]);
    assert.ok(refused.outcome === 'unread', refused.outcome);
    assert.equal(refused.error.kind, 'unauthorized');
    assert.ok(!isVerified(refused));
  });
});
