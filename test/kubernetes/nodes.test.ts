import assert from 'node:assert/strict';
import { cleanUp, eventually } from '../platform/support.ts';
import { cluster, needsCluster, nodeCommand, runtimeForTest } from './cluster.ts';
import { podName } from '../../src/platform/runtimes/kubernetes/podIdentity.ts';
import { specOf, startWorker, STAYS } from './workers.ts';

interface PodOnNode {
  readonly spec: { readonly nodeName: string };
}

const POD_PATH = (runId: string): string => `/api/v1/namespaces/default/pods/${podName(runId)}`;

describe('A node of a cluster', () => {
  needsCluster();
  afterEach(cleanUp);

  before(function () {
    if (!process.env['CLOUD_COMPUTE_LOSE_NODE'] || !process.env['CLOUD_COMPUTE_RECOVER_NODE']) this.skip();
  });

  it('that is lost ends the runs of its workers, and no others; once it is back, it has no leftover', async function () {
    this.timeout(180_000);
    const runtime = runtimeForTest();
    const workers = await Promise.all([1, 2, 3].map(() => startWorker(runtime, specOf(STAYS))));
    const nodes = await Promise.all(
      workers.map(async ({ spec }) => (await cluster<PodOnNode>(POD_PATH(spec.labels.runId))).spec.nodeName),
    );
    const lost = nodes[0] ?? '';
    await nodeCommand('CLOUD_COMPUTE_LOSE_NODE', lost);
    try {
      for (const [index, { running, observed }] of workers.entries()) {
        if (nodes[index] !== lost) continue;
        assert.deepEqual(await running.exited, { code: null, signal: null, reason: 'nodeLost' });
        assert.match(observed.unreachable.join(), /does not report/);
      }
    } finally {
      await nodeCommand('CLOUD_COMPUTE_RECOVER_NODE', lost);
    }
    for (const [index, { running, observed }] of workers.entries()) {
      if (nodes[index] === lost) continue;
      assert.deepEqual(observed.unreachable, []);
      await running.stop(0);
    }
    await eventually(
      'no pod is left',
      async () => (await cluster<{ items: unknown[] }>('/api/v1/namespaces/default/pods')).items.length === 0,
      90_000,
    );
  });
});
