import assert from 'node:assert/strict';
import { describeExec, exec } from '../engines/execConformance.ts';
import { NODE_IMAGE } from '../engines/images.ts';
import { importShellImage, SHELL_IMAGE } from '../engines/shellImage.ts';
import { EngineError } from '../../src/machine/engine/engineApi.ts';
import { clusterAccess } from '../../src/platform/runtimes/kubernetes/access/clusterAccess.ts';
import { KubernetesApi } from '../../src/platform/runtimes/kubernetes/kubernetesApi.ts';
import { podName } from '../../src/platform/runtimes/kubernetes/podIdentity.ts';
import { execInPod } from '../../src/platform/runtimes/kubernetes/podExec.ts';
import { execFailure } from '../../src/platform/runtimes/kubernetes/podFailure.ts';
import { ExecError } from '../../src/platform/runtimes/runtime.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { cleanUp } from '../platform/support.ts';
import { contextOf, needsCluster, nodeEngines, runtimeForTest } from './cluster.ts';
import { cuttable } from './cuttable.ts';
import { specOf, startWorker, STAYS } from './workers.ts';

describe('Programs beside a worker in a pod', () => {
  needsCluster();
  before(async function () {
    this.timeout(5 * 60_000);
    if (nodeEngines().length === 0) this.skip();
    await Promise.all(nodeEngines().map((engine) => importShellImage(engine)));
  });
  afterEach(cleanUp);

  describeExec({
    start: async (image) => {
      const changes = { image: image === 'shell' ? SHELL_IMAGE : NODE_IMAGE };
      return (await startWorker(runtimeForTest(), specOf(STAYS, changes))).running;
    },
    // The nodes of the tests have Kubernetes 1.20.
    closesInput: false,
  });

  it('fail once their connection is lost, and cannot be started without one', async () => {
    const way = await cuttable();
    const runtime = runtimeForTest({ environment: { KUBECONFIG: way.kubeconfig }, workerHost: '192.0.2.1' });
    const { running } = await startWorker(runtime, specOf(STAYS, { image: SHELL_IMAGE }));
    const session = await exec(running, { command: ['sleep', '1000'] });
    const failed = new Promise((resolve) => session.stdout.once('error', resolve));
    way.setOpen(false);
    way.cut();
    assert.equal(await session.exited, undefined);
    const isUnreachable = (error: unknown) => error instanceof ExecError && error.problem === 'unreachable';
    assert.ok(isUnreachable(await failed));
    await assert.rejects(exec(running, { command: ['sleep', '1'] }), isUnreachable);
    way.setOpen(true);
  });

  it('cannot be started without the permission', async function () {
    const context = await contextOf('weak');
    if (context === undefined) this.skip();
    const { spec } = await startWorker(runtimeForTest(), specOf(STAYS));
    const access = await clusterAccess({ environment: process.env, clock: systemClock, context });
    const exec = execInPod(
      {
        ...{ api: new KubernetesApi(access, systemClock), clock: systemClock, pod: podName(spec.labels.runId) },
        ended: new AbortController().signal,
      },
      { command: ['/usr/bin/node', '--version'] },
      new AbortController().signal,
    );
    const error: unknown = await exec.catch((reason: unknown) => reason);
    assert.ok(error instanceof EngineError);
    const { problem, message } = execFailure(error, false);
    assert.equal(problem, 'forbidden');
    assert.match(message, /^the cluster refuses access: .*"pods\/exec".* Give the account the permission pods\/exec /);
  });
});
