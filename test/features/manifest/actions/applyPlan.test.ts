import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import { createClient } from '../../../../src/client/client.ts';
import {
  confirmSteps,
  deletionsOf,
  deployingSteps,
  type Step,
} from '../../../../src/features/manifest/model/deployment/deploymentPlan.ts';
import { cleanUp } from '../../../platform/support.ts';
import { createPaused } from '../../storeOnPlatform.ts';
import { Deployment, filesOf, kindsOf, manifestText, outcomesOf } from './deployment.ts';

const three = { a: manifestText('a'), b: manifestText('b'), c: manifestText('c') };

describe('applyPlan', () => {
  let deployment: Deployment;

  beforeEach(async () => {
    deployment = await Deployment.start();
  });
  afterEach(cleanUp);

  it('creates endpoints, then changes exactly those that differ from their files', async () => {
    const { client, store } = deployment;
    const created = await deployment.deploy(filesOf(three));
    assert.deepEqual(outcomesOf(created), ['a: created', 'b: created', 'c: created']);
    assert.deepEqual(store.endpoints.map(({ endpoint }) => endpoint.name).sort(), ['a', 'b', 'c']);

    const b = created.flatMap((result) => (result.outcome === 'created' ? [result.endpoint] : []))[1];
    assert.ok(b);
    await client.updateEndpoint({ id: b.id, body: { timeout: 90_000 } });
    const files = filesOf({ ...three, a: manifestText('a', 'timeout: 60000') });
    const plan = await deployment.plan(files);
    assert.deepEqual(kindsOf(plan), ['a: update', 'b: update', 'c: unchanged']);
    assert.deepEqual(outcomesOf(await deployment.apply(deployingSteps(plan))), ['a: updated', 'b: updated']);
    assert.deepEqual(kindsOf(await deployment.plan(files)), ['a: unchanged', 'b: unchanged', 'c: unchanged']);
    assert.equal((await client.getEndpoint({ id: b.id })).timeout, 300_000);
    assert.deepEqual(await deployment.names(), ['a', 'b', 'c']);
  });

  it('links each created endpoint, so that a file with a new name renames its endpoint', async () => {
    await deployment.deploy(filesOf({ a: manifestText('a') }));
    const results = await deployment.deploy(filesOf({ a: manifestText('renamed') }));
    assert.deepEqual(outcomesOf(results), ['renamed: updated']);
    assert.deepEqual(await deployment.names(), ['renamed']);
  });

  it('continues after a failure and returns its fields', async () => {
    const results = await deployment.deploy(filesOf({ ...three, b: manifestText('b', 'registry: unknown') }));
    assert.deepEqual(outcomesOf(results), ['a: created', 'b: failed', 'c: created']);
    const failed = results[1];
    assert.ok(failed?.outcome === 'failed' && failed.error instanceof ApiError);
    assert.deepEqual(
      failed.error.fields.map((field) => field.path),
      [['registry']],
    );
    assert.equal(failed.uncertain, false);
    assert.deepEqual(await deployment.names(), ['a', 'c']);
  });

  it('stops before the next endpoint when it is canceled, and completes the request in progress', async () => {
    const cancel = new AbortController();
    const steps = deployingSteps(await deployment.plan(filesOf(three)));
    const results = await deployment.apply(steps, { signal: cancel.signal, starting: () => cancel.abort() });
    assert.deepEqual(outcomesOf(results), ['a: created', 'b: canceled', 'c: canceled']);
    assert.deepEqual(await deployment.names(), ['a']);
  });

  it('sends at most four requests at a time, and one at a time for endpoints with the same name', async () => {
    const sending = { now: 0, most: 0 };
    const client = createClient({
      connection: deployment.client.context.connection,
      fetch: async (url, init) => {
        if (init?.method === 'GET') return fetch(url, init);
        sending.most = Math.max(sending.most, ++sending.now);
        return fetch(url, init).finally(() => sending.now--);
      },
    });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const files = filesOf(Object.fromEntries(names.map((name) => [name, manifestText(name)])));
    await deployment.apply(deployingSteps(await deployment.plan(files)), { client });
    assert.equal(sending.most, 4);

    for (const name of ['same', 'same', 'same']) await createPaused(deployment.client, name);
    sending.most = 0;
    await deployment.apply(deletionsOf(await deployment.plan(files)), { client });
    assert.equal(sending.most, 1);
    assert.deepEqual(await deployment.names(), names);
  });

  it('ends the wait for a rate limit when it is canceled', async () => {
    const cancel = new AbortController();
    let calls = 0;
    const client = createClient({
      connection: deployment.client.context.connection,
      fetch: () => {
        calls++;
        return Promise.resolve(new Response('{}', { status: 429, headers: { 'Retry-After': '3000' } }));
      },
      onWait: () => cancel.abort(),
    });
    const steps = deployingSteps(await deployment.plan(filesOf({ a: manifestText('a') })));
    const results = await deployment.apply(steps, { client, signal: cancel.signal });
    assert.deepEqual([outcomesOf(results), calls], [['a: canceled'], 1]);
  });

  it('deletes only chosen endpoints, after all other steps', async () => {
    const { client } = deployment;
    for (const name of ['first', 'second', 'third']) await createPaused(client, name);
    const plan = await deployment.plan(filesOf(three));
    const chosen = deletionsOf(plan).filter(({ name }) => name !== 'second');
    const order: string[] = [];
    const results = await deployment.apply([...chosen, ...deployingSteps(plan)], {
      starting: ({ kind }) => void order.push(kind),
    });
    assert.deepEqual(order, ['create', 'create', 'create', 'delete', 'delete']);
    assert.deepEqual(outcomesOf(results).slice(0, 2), ['first: deleted', 'third: deleted']);
    assert.deepEqual(await deployment.names(), ['a', 'b', 'c', 'second']);
  });

  it('counts an endpoint that no longer exists as deleted', async () => {
    const { id } = await createPaused(deployment.client, 'gone');
    const steps = deletionsOf(await deployment.plan([]));
    await deployment.client.deleteEndpoint({ id });
    assert.deepEqual(outcomesOf(await deployment.apply(steps)), ['gone: deleted']);
  });

  it('creates no second endpoint after a lost response, because a retry reads the endpoints first', async () => {
    const { connection } = deployment.client.context;
    const client = createClient({
      connection,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (init?.method !== 'POST') return response;
        await response.text();
        throw new TypeError('the connection was reset');
      },
    });
    const files = filesOf({ a: manifestText('a') });
    const [lost] = await deployment.apply(deployingSteps(await deployment.plan(files)), { client });
    assert.ok(lost?.outcome === 'failed');
    assert.equal(lost.uncertain, true);
    const later = await deployment.plan(files);
    assert.deepEqual(kindsOf(later), ['a: unchanged']);
    assert.deepEqual(confirmSteps([lost.step], later), [{ kind: 'changed', step: lost.step }]);
    assert.deepEqual(await deployment.names(), ['a']);
  });
});

describe('confirmSteps', () => {
  let deployment: Deployment;

  beforeEach(async () => {
    deployment = await Deployment.start();
  });
  afterEach(cleanUp);

  const kindsAfter = async (chosen: readonly Step[], files: ReturnType<typeof filesOf>) =>
    confirmSteps(chosen, await deployment.plan(files)).map(({ kind, step }) => `${step.name}: ${kind}`);

  it('keeps steps that are the same in a later plan', async () => {
    await createPaused(deployment.client, 'other');
    await deployment.deploy(filesOf({ b: manifestText('b') }));
    const files = filesOf({ a: manifestText('a'), b: manifestText('b', 'timeout: 60000') });
    const plan = await deployment.plan(files);
    assert.deepEqual(await kindsAfter([...deployingSteps(plan), ...deletionsOf(plan)], files), [
      'a: same',
      'b: same',
      'other: same',
    ]);
  });

  it('detects a changed file, a new namesake, and a concurrent change of the endpoint', async () => {
    const { client } = deployment;
    await deployment.deploy(filesOf({ c: manifestText('c') }));
    const texts = { a: manifestText('a'), b: manifestText('b'), c: manifestText('c', 'timeout: 60000') };
    const plan = await deployment.plan(filesOf(texts));
    await createPaused(client, 'b');
    const c = (await client.listEndpoints({})).endpoints.find(({ name }) => name === 'c');
    await client.updateEndpoint({ id: c?.id ?? '', body: { timeout: 90_000 } });
    assert.deepEqual(await kindsAfter(deployingSteps(plan), filesOf({ ...texts, a: manifestText('a', 'disk: 20') })), [
      'a: changed',
      'b: changed',
      'c: changed',
    ]);
  });

  it('refuses to delete an endpoint that a new file describes', async () => {
    await createPaused(deployment.client, 'other');
    const chosen = deletionsOf(await deployment.plan([]));
    assert.deepEqual(await kindsAfter(chosen, filesOf({ other: manifestText('other') })), ['other: changed']);
  });
});
