import assert from 'node:assert/strict';
import { podName } from '../../src/platform/runtimes/kubernetes/podIdentity.ts';
import { StartError } from '../../src/platform/runtimes/runtime.ts';
import { cleanUp, eventually } from '../platform/support.ts';
import { cluster, needsCluster, runtimeForTest } from './cluster.ts';
import { faultyCluster, refuses, stalls, streams } from './faultyCluster.ts';
import { begin, specOf, startWorker, STAYS } from './workers.ts';

/** Maximum number of watches in the life of a short worker: pauses grow up to 10 s. */
const FEW_WATCHES = 20;

describe('A cluster with faults', () => {
  needsCluster();
  afterEach(cleanUp);

  const runtimeOn = ({ kubeconfig }: { kubeconfig: string }) =>
    runtimeForTest({ environment: { KUBECONFIG: kubeconfig }, workerHost: '192.0.2.1' });

  for (const [what, fault] of [
    ['ends at once', streams()],
    ['is refused with 410', refuses(410)],
    ['has an expired version', streams({ type: 'ERROR', object: { code: 410 } })],
  ] as const) {
    it(`is not flooded with watches if each ${what}, and the end of a worker is seen`, async () => {
      const way = await faultyCluster();
      way.faults.watch = fault;
      const { running } = await startWorker(runtimeOn(way), specOf('setTimeout(() => process.exit(3), 3_000)'));
      assert.deepEqual(await running.exited, { code: 3, signal: null });
      assert.ok(way.count('watch') > 1);
      assert.ok(way.count('watch') < FEW_WATCHES, `${way.count('watch')} watches`);
    });
  }

  for (const [what, fault] of [
    ['fails with 503', refuses(503)],
    ['stops in the middle', stalls('{"items": [')],
  ] as const) {
    it(`keeps the pods of its workers while a list ${what}`, async () => {
      const way = await faultyCluster();
      way.faults.list = fault;
      const { starting, observed, spec } = begin(runtimeOn(way), specOf(STAYS));
      await eventually('the failure is reported', () => typeof observed.unreachable.at(-1) === 'string');
      const { metadata } = await cluster<{ metadata: { deletionTimestamp?: string } }>(
        `/api/v1/namespaces/default/pods/${podName(spec.labels.runId)}`,
      );
      assert.equal(metadata.deletionTimestamp, undefined);
      delete way.faults.list;
      await starting;
      assert.equal(observed.unreachable.at(-1), undefined);
    });
  }

  it('has no pod left of a creation that it accepted after it was given up', async function () {
    this.timeout(180_000);
    const way = await faultyCluster();
    const created = Promise.withResolvers<() => void>();
    way.faults.create = (_response, forward) => created.resolve(forward);
    const deleted = Promise.withResolvers<void>();
    way.faults.delete = (response, forward) => {
      response.on('finish', deleted.resolve);
      forward();
    };
    const runtime = runtimeOn(way);
    const { starting, spec } = begin(runtime, specOf(STAYS));
    runtime.keepClean?.(() => []);
    const create = await created.promise;
    await assert.rejects(starting, (error) => error instanceof StartError && error.problem === 'engineUnreachable');
    await deleted.promise;
    create();
    const exists = async (): Promise<boolean> => {
      const query = { fieldSelector: `metadata.name=${podName(spec.labels.runId)}` };
      const { items } = await cluster<{ items: { metadata: { deletionTimestamp?: string } }[] }>(
        '/api/v1/namespaces/default/pods',
        { query },
      );
      return items.some(({ metadata }) => metadata.deletionTimestamp === undefined);
    };
    await eventually('the pod is created', exists);
    await eventually('the pod is deleted', async () => !(await exists()), 90_000);
  });
});
