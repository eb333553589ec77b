import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CreateEndpointBody } from '../../src/contract/endpoint.ts';
import { buildImage } from '../engines/images.ts';
import { hasPackage, importPythonImage, PYTHON_IMAGE } from '../engines/pythonImage.ts';
import { cleanUp, fixtures, platformForTest, repository } from '../platform/support.ts';
import { cluster, needsCluster, nodeEngines } from './cluster.ts';

const VICTIM_IMAGE = 'cloud-compute-test/victim:1';
const LOOP = 'samples/hello-queue/hello/serverless.mjs';

interface VictimPod {
  readonly spec: { readonly containers: readonly [{ readonly env: readonly { name: string; value?: string }[] }] };
  readonly status: { readonly podIP: string };
}

/** The network policies of deploy/kubernetes-isolated keep pods apart, if the cluster enforces them. These tests do not depend on it. */
describe('A hostile image on a cluster', () => {
  needsCluster();
  afterEach(cleanUp);

  before(async function () {
    this.timeout(5 * 60_000);
    const engines = nodeEngines();
    if (engines.length === 0 || !(await hasPackage('socket'))) this.skip();
    const files = {
      'test/platform/fixtures/worker.mjs': await readFile(path.join(fixtures, 'worker.mjs'), 'utf8'),
      [LOOP]: await readFile(path.join(repository, LOOP), 'utf8'),
    };
    const hostile = path.join(repository, 'test/engines/fixtures/hostile.py');
    for (const engine of engines) {
      await buildImage(engine, VICTIM_IMAGE, { files });
      await importPythonImage(engine, hostile, { packages: false });
    }
  });

  it('neither hears nor forges another endpoint', async function () {
    this.timeout(120_000);
    const { api } = await platformForTest({ graceMs: 1_000, engine: { runtime: 'kubernetes', kubeNodeImages: true } });
    const one: Partial<CreateEndpointBody> = { cpu: [{ id: 'cpu3c', vcpuCount: 2 }], workers: { min: 1, max: 1 } };
    const [entrypoint, cmd] = [['/usr/bin/node'], ['/test/platform/fixtures/worker.mjs']];
    const victim = await api.createEndpoint({ ...one, image: VICTIM_IMAGE, entrypoint, cmd });
    const hostile = await api.createEndpoint({
      ...{ ...one, image: PYTHON_IMAGE, entrypoint: ['/usr/bin/python3'], cmd: ['/app/hostile.py'] },
    });
    await api.worker(hostile, 'IDLE');
    const job = await api.run(victim, { do: 'hang' });
    await api.jobWithStatus(victim, job.id, 'IN_PROGRESS');
    const query = { labelSelector: `cloud-compute/endpoint=${victim.id}` };
    const { items } = await cluster<{ items: VictimPod[] }>('/api/v1/namespaces/default/pods', { query });
    const variable = (name: string): string =>
      items[0]?.spec.containers[0].env.find((one_) => one_.name === name)?.value?.replaceAll('$$', '$') ?? '';
    const token = variable('RUNPOD_AI_API_KEY');
    assert.notEqual(token, '');
    const { output } = await api.runSync(hostile, {
      ...{ secret: job.id, seconds: 3, processes: 0, servers: [], neighbors: [items[0]?.status.podIP] },
      token,
      done: variable('RUNPOD_WEBHOOK_POST_OUTPUT').replace('$ID', job.id),
    });
    const { listen, forge } = output as { listen: string; forge: unknown[] };
    assert.deepEqual([listen, forge], ['not permitted', [401, 401]]);
    assert.equal((await api.job(victim, job.id)).status, 'IN_PROGRESS');
  });
});
