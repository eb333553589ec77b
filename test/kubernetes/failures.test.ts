import assert from 'node:assert/strict';
import type { StartProblem } from '../../src/contract/startProblem.ts';
import { StartError } from '../../src/platform/runtimes/runtime.ts';
import { NODE_IMAGE } from '../engines/images.ts';
import { cleanUp, eventually } from '../platform/support.ts';
import { cluster, contextOf, needsCluster, nodeEngines, runtimeForTest } from './cluster.ts';
import { begin, specOf, startWorker, STAYS } from './workers.ts';

describe('A worker that cannot run on a cluster', () => {
  needsCluster();
  afterEach(cleanUp);

  const fails = async (starting: Promise<unknown>, problem: StartProblem | undefined, message: RegExp): Promise<void> =>
    assert.rejects(starting, (error) => {
      assert.ok(error instanceof StartError, String(error));
      assert.match(error.message, message);
      assert.equal(error.problem, problem);
      return true;
    });

  describe('with an image of a private registry', () => {
    const [host, username = '', password = ''] = (process.env['CLOUD_COMPUTE_TEST_REGISTRY'] ?? '').split(' ');
    const image = `${host}/private/node:1`;
    const access = (secret: string) => ({ id: 'c1', credentials: () => ({ username, password: secret }) });

    before(async function () {
      const [engine] = nodeEngines();
      if (!host || !engine) return this.skip();
      const auth = Buffer.from(JSON.stringify({ username, password, serveraddress: host })).toString('base64url');
      const padded = auth.padEnd(Math.ceil(auth.length / 4) * 4, '=');
      const named = encodeURIComponent(NODE_IMAGE);
      const query = { repo: `${host}/private/node`, tag: '1' };
      const { body: _, ...push } = { body: undefined, headers: { 'X-Registry-Auth': padded } };
      await engine.json({ method: 'POST', path: `/v1.41/images/${named}/tag`, query });
      const path = `/v1.41/images/${encodeURIComponent(`${host}/private/node`)}/push`;
      for await (const line of engine.lines<{ error?: string }>({
        method: 'POST',
        path,
        query: { tag: '1' },
        ...push,
      })) {
        assert.equal(line.error, undefined);
      }
    });

    it('starts with the right credentials, reports the digest, and leaves no secret behind', async () => {
      const registry = access(password);
      const { running, observed } = await startWorker(runtimeForTest(), specOf(STAYS, { image, registry }));
      assert.match(observed.digests.join(), /^sha256:[0-9a-f]{64}$/);
      assert.deepEqual(observed.progress.at(-1), { kind: 'pulling' });
      assert.ok(!JSON.stringify(running.handle).includes(password));
      await eventually('the secret is deleted', async () => {
        const { items } = await cluster<{ items: { type: string }[] }>('/api/v1/namespaces/default/secrets');
        return items.every(({ type }) => type !== 'kubernetes.io/dockerconfigjson');
      });
      const pinned = observed.digests[0];
      const again = await startWorker(runtimeForTest(), specOf(STAYS, { image, registry, pinned }));
      assert.deepEqual(again.observed.digests, [pinned]);
    });

    it('ends if its release runs another image, and keeps running with the pinned one', async () => {
      const spec = () => specOf(STAYS, { image, registry: access(password) });
      const other = `sha256:${'0'.repeat(64)}`;
      const { running, observed } = await startWorker(runtimeForTest(), spec(), () => other);
      assert.equal((await running.exited).reason, 'otherImage');
      const [pinned] = observed.digests;
      const second = await startWorker(runtimeForTest(), { ...spec(), pinned });
      assert.deepEqual(second.observed.digests, [pinned]);
      await second.running.stop(0);
      assert.equal((await second.running.exited).reason, undefined);
    });

    it('fails to start if the image of its release cannot be stored', async () => {
      const full = new Error('the disk is full');
      const { starting } = begin(runtimeForTest(), specOf(STAYS, { image, registry: access(password) }), () => {
        throw full;
      });
      await assert.rejects(starting, full);
    });

    it('reports refused and missing credentials, even if a node has the image', async () => {
      const wrong = begin(runtimeForTest(), specOf(STAYS, { image, registry: access('wrong') }));
      await fails(wrong.starting, 'credentialsRefused', /cannot be pulled.*Correct the registry credential/);
      const runtime = runtimeForTest({ imagePull: 'always' });
      const none = begin(runtime, specOf(STAYS, { image }));
      await fails(none.starting, 'credentialsMissing', /select a registry credential/);
    });

    it('reports a missing tag, and a registry that cannot be reached', async () => {
      const missing = begin(
        runtimeForTest(),
        specOf(STAYS, { image: `${host}/private/node:2`, registry: access(password) }),
      );
      await fails(missing.starting, 'imageNotFound', /Check the name and the tag/);
      const nowhere = `${host?.split(':')[0]}:1/private/node:1`;
      const unreachable = begin(runtimeForTest(), specOf(STAYS, { image: nowhere, registry: access(password) }));
      await fails(unreachable.starting, 'registryUnreachable', /Check the registry's address/);
    });
  });

  it('waits for a place with the reason of the scheduler, and can be aborted', async () => {
    const { starting, observed } = begin(runtimeForTest(), specOf(STAYS, { resources: { gpus: 64 } }));
    const waiting = await eventually('it waits for a place', () =>
      observed.progress.find(({ kind }) => kind === 'noPlace'),
    );
    assert.match(JSON.stringify(waiting), /Insufficient nvidia\.com\/gpu/);
    void starting;
  });

  it('names the end of a worker that used too much memory', async () => {
    const script = 'const all = []; for (;;) all.push(Buffer.alloc(8 * 1_048_576, 1));';
    const { running } = await startWorker(runtimeForTest(), specOf(script, { resources: { gpus: 0, memoryGb: 0.1 } }));
    assert.deepEqual(await running.exited, { code: null, signal: 'SIGKILL', reason: 'outOfMemory' });
  });

  it('reports missing permissions with the remedy', async function () {
    const context = await contextOf('weak');
    if (context === undefined) this.skip();
    const { starting } = begin(runtimeForTest({ context }), specOf(STAYS));
    await fails(starting, undefined, /^the cluster refuses access: .*forbidden.*permissions.*another context/);
  });

  it('reports a namespace and a context that do not exist', async () => {
    const nowhere = begin(runtimeForTest({ namespace: 'no-such-namespace' }), specOf(STAYS));
    await fails(nowhere.starting, undefined, /namespace no-such-namespace does not exist.*--kube-namespace/);
    const unknown = begin(runtimeForTest({ context: 'no-such-context' }), specOf(STAYS));
    await fails(unknown.starting, undefined, /no context no-such-context.*--kube-context/);
  });
});

describe('Workers with GPUs on a cluster', () => {
  needsCluster();
  afterEach(cleanUp);

  it('receive as many GPUs as they ask for, and the others wait', async function () {
    const { items } = await cluster<{ items: { status: { capacity: Record<string, string> } }[] }>('/api/v1/nodes');
    const gpus = items.map(({ status }) => Number(status.capacity['nvidia.com/gpu'] ?? 0));
    const total = gpus.reduce((sum, count) => sum + count, 0);
    if (total === 0) this.skip();
    const one = () => specOf(STAYS, { resources: { gpus: 1 } });
    await Promise.all(Array.from({ length: total }, () => startWorker(runtimeForTest(), one())));
    const last = begin(runtimeForTest(), one());
    const waiting = await eventually('it waits', () => last.observed.progress.find(({ kind }) => kind === 'noPlace'));
    assert.match(JSON.stringify(waiting), /Insufficient nvidia\.com\/gpu/);
  });
});
