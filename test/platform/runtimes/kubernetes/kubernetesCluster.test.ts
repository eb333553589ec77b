import assert from 'node:assert/strict';
import { pino } from 'pino';
import { KubernetesCluster } from '../../../../src/platform/runtimes/kubernetes/kubernetesCluster.ts';
import { podOf } from '../../../../src/platform/runtimes/kubernetes/podSpec.ts';
import { podLabels, handleOf, podName } from '../../../../src/platform/runtimes/kubernetes/podIdentity.ts';
import type { RunSpec } from '../../../../src/platform/runtimes/runSpec.ts';
import { ExecError, StartError, type RunningWorker } from '../../../../src/platform/runtimes/runtime.ts';
import { afterwards, cleanUp, eventually } from '../../support.ts';
import { clusterServer, json, pods, recordingClock, stalled } from './clusterServer.ts';

const SPEC: RunSpec = {
  labels: { owner: 'o', endpointId: 'e', workerId: 'w', runId: 'r1' },
  protocol: { url: 'http://127.0.0.1:1/worker', token: 'secret' },
  ...{ image: 'example/worker:1', entrypoint: [], cmd: [], env: {}, mounts: [], ports: [] },
  resources: { gpus: 1 },
};
const REGISTRY = { id: 'c', credentials: () => ({ username: 'u', password: 'p' }) };
const NAME = podName('r1');
const GATE = 'http://10.0.0.2:1/worker';
const labelsOf = (runId: string) => podLabels({ ...SPEC.labels, runId });
const object = (runId: string) => ({ metadata: { name: podName(runId), labels: labelsOf(runId) } });
const RUNNING = {
  ...object('r1'),
  status: { phase: 'Running', podIP: '10.0.0.1', containerStatuses: [{ name: 'worker', state: { running: {} } }] },
};

describe('A cluster', () => {
  afterEach(cleanUp);

  async function started(changes: Partial<RunSpec> = {}) {
    const server = await clusterServer();
    const clock = recordingClock();
    const gate = { open: () => Promise.resolve(GATE) };
    const options = { clock, log: pino({ level: 'silent' }), owner: 'o', gate, workerHost: 'h', environment: {} };
    const cluster = new KubernetesCluster(server.access, options);
    afterwards(() => cluster.close());
    const reachable: (string | undefined)[] = [];
    const start = (): Promise<RunningWorker> => {
      const starting = cluster.start(
        { ...SPEC, ...changes },
        {
          ...{ onProgress: () => undefined, onOutput: () => undefined, onImage: (digest) => digest },
          ...{ onReachable: (reason) => reachable.push(reason), signal: new AbortController().signal },
        },
      );
      starting.catch(() => undefined);
      return starting;
    };
    return { server, clock, cluster, start, reachable };
  }

  const deleted = (asked: readonly string[]): string[] => asked.filter((one) => one.startsWith('delete'));

  for (const status of [500, 503, 429]) {
    it(`keeps the pod of a starting worker while its list fails with ${status}`, async () => {
      const { server, clock, start, reachable } = await started();
      server.answers.list = json({ message: 'not now' }, status);
      const starting = start();
      await eventually('the failure is reported', () => reachable.length === 1);
      await eventually('the pod is created', () => server.count('create') === 1);
      server.answers.list = json(pods(RUNNING));
      clock.advance(250);
      const running = await starting;
      assert.equal(running.label, `pod ${NAME}`);
      assert.deepEqual(reachable, ['not now', undefined]);
      assert.deepEqual(deleted(server.asked), []);
    });
  }

  it('fails a start once it refuses the list', async () => {
    const { server, start } = await started();
    server.answers.list = json({ message: 'no' }, 403);
    await assert.rejects(start(), (error) => error instanceof StartError && error.message.includes('refuses access'));
    await eventually('the pod is removed', () => deleted(server.asked).includes(`delete pods/${NAME}`));
  });

  it('has no pod and no secret left of creations that took effect after they were given up', async () => {
    const { server, clock, cluster, start } = await started({ registry: REGISTRY });
    server.answers.create = stalled(' ');
    const starting = start();
    await eventually('the pod is requested', () => server.count('create') === 1);
    clock.advance(20_000);
    await assert.rejects(starting, (error) => error instanceof StartError && error.problem === 'engineUnreachable');
    await eventually('the pod and the secret are deleted', () => deleted(server.asked).length === 2);
    server.answers.list = json(pods(object('r1'), object('open')));
    server.answers.secrets = json({ items: [object('r1'), object('open'), object('killed')] });
    await cluster.sweep(() => ['open']);
    const expected = [`delete pods/${NAME}`, `delete secrets/${NAME}`, `delete secrets/${podName('killed')}`];
    assert.deepEqual(deleted(server.asked).slice(2), expected);
  });

  it('has no secret left of a start that failed, even if it may not list secrets', async () => {
    const { server, cluster, start } = await started({ registry: REGISTRY });
    server.answers.create = json({ message: 'no' }, 422);
    await assert.rejects(start(), StartError);
    await eventually('the pod and the secret are deleted', () => deleted(server.asked).length === 2);
    server.answers.secrets = json({ message: 'no' }, 403);
    await cluster.sweep(() => []);
    assert.deepEqual(deleted(server.asked).slice(2), [`delete secrets/${NAME}`]);
  });

  describe('with the pod of an earlier platform', () => {
    async function adopting(env: readonly { readonly name: string; readonly value?: string }[]) {
      const world = await started();
      const pod = { ...RUNNING, spec: { containers: [{ name: 'worker', env }] } };
      const reachable: (string | undefined)[] = [];
      const adopt = () =>
        world.cluster.adopt(handleOf('r1', 'n'), SPEC, {
          ...{ onOutput: () => undefined, onReachable: (reason) => reachable.push(reason) },
          ...{ signal: new AbortController().signal, position: undefined, frozen: false },
        });
      return { ...world, pod, reachable, adopt };
    }
    const settings = {
      name: NAME,
      protocolUrl: GATE,
      image: SPEC.image,
      pullPolicy: 'Always',
      nodeLossSeconds: 30,
    } as const;
    const { env = [] } = podOf(SPEC, settings).spec?.containers[0] ?? {};
    // The cluster omits empty values.
    const variables = env.map(({ name, value }) => (value ? { name, value } : { name }));

    it('takes it over once the cluster answers, which it reports', async () => {
      const { server, clock, pod, reachable, adopt } = await adopting(variables);
      server.answers.list = json({ message: 'not now' }, 503);
      const adopted = adopt();
      await eventually('the failure is reported', () => reachable.length === 1);
      server.answers.list = json(pods(pod));
      clock.advance(250);
      assert.equal((await adopted)?.label, `pod ${NAME}`);
      assert.deepEqual(reachable, ['not now', undefined]);
      assert.deepEqual(deleted(server.asked), []);
    });

    it('does not take it over if it has another token, has not started, or is gone', async () => {
      const { server, pod, adopt } = await adopting(variables.map((one) => ({ ...one, value: 'another' })));
      server.answers.list = json(pods(pod));
      assert.equal(await adopt(), undefined);
      const pending = { ...object('r1'), spec: { containers: [{ name: 'worker', env: variables }] } };
      for (const list of [pods({ ...pending, status: { phase: 'Pending' } }), pods()]) {
        server.answers.list = json(list);
        assert.equal(await adopt(), undefined);
      }
    });

    it('leaves it to the next platform, and removes it otherwise', async () => {
      const { server, pod, cluster, adopt } = await adopting(variables);
      server.answers.list = json(pods(pod));
      const first = await adopt();
      first?.leave?.();
      await adopt();
      await cluster.close();
      assert.deepEqual(deleted(server.asked).toSorted(), [`delete pods/${NAME}`, `delete secrets/${NAME}`]);
    });
  });

  it('refuses a program beside a worker with the class of the cause, and names a missing permission', async () => {
    const { server, start } = await started();
    server.answers.list = json(pods(RUNNING));
    const running = await start();
    const failure = async (message: string, status: number) => {
      server.answers.exec = json({ kind: 'Status', message }, status);
      const terminal = { columns: 80, rows: 24 };
      const exec = running.exec?.({ command: ['sh'], terminal }, new AbortController().signal);
      const error: unknown = await exec?.catch((reason: unknown) => reason);
      assert.ok(error instanceof ExecError);
      return error;
    };
    const { problem, message } = await failure('pods "w" is forbidden: User "u" cannot get resource "pods/exec"', 403);
    assert.equal(problem, 'forbidden');
    assert.match(
      message,
      /^the cluster refuses access: .*User "u" cannot get.*\. Give the account the permission pods\/exec/,
    );
    assert.equal((await failure('the credentials have expired', 401)).problem, 'forbidden');
    assert.equal((await failure('the pod is gone', 404)).problem, 'ended');
    assert.equal((await failure('the container is not running', 409)).problem, 'other');
    assert.equal((await failure('not now', 503)).problem, 'unreachable');
  });

  it('ends an orphan that has a secret and no pod yet', async () => {
    const { server, cluster } = await started();
    assert.equal(await cluster.endOrphans([{ runtime: 'kubernetes', namespace: null, runId: 'r1' }]), 0);
    assert.deepEqual(deleted(server.asked), [`delete secrets/${NAME}`]);
  });

  it('asks for the open runs after it has listed the objects', async () => {
    const { server, cluster } = await started();
    server.answers.list = json(pods(object('r1')));
    await cluster.sweep(() => {
      assert.deepEqual(server.asked, ['list', 'secrets']);
      return ['r1'];
    });
    assert.deepEqual(deleted(server.asked), []);
  });
});
