import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { clusterAccess } from '../../src/platform/runtimes/kubernetes/access/clusterAccess.ts';
import { localAddress } from '../../src/platform/runtimes/kubernetes/localAddress.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { buildImage } from '../engines/images.ts';
import { killUnderLoad, type KilledWorld } from '../faults/killUnderLoad.ts';
import { kills } from '../faults/support.ts';
import { afterwards, cleanUp, dataDirectory, eventually, repository } from '../platform/support.ts';
import { seed, withSeed } from '../support/seed.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { bindVolume } from './bareCluster.ts';
import { cluster, needsCluster, nodeEngines } from './cluster.ts';
import { cuttable } from './cuttable.ts';
import { apply, hasKubectl, kubectl } from './kubectl.ts';

const KILLS = kills(50, 9);
const IMAGE = 'cloud-compute-test/faulty:1';
const NAMESPACE = 'default';
const CLAIM = 'cloud-compute-test-kills';
/** Maximum time without a connection to the cluster, in ms. */
const MAX_CUT_MS = 3_000;

describe('Platform and pods under SIGKILL', () => {
  needsCluster();
  afterEach(cleanUp);

  before(async function () {
    this.timeout(120_000);
    if (nodeEngines().length === 0 || !(await hasKubectl())) this.skip();
    const worker = await readFile(path.join(repository, 'test/faults/fixtures/worker.mjs'), 'utf8');
    const files = { '/app/worker.mjs': worker };
    await Promise.all(nodeEngines().map((engine) => buildImage(engine, IMAGE, { files })));
  });

  it(`do not lose, repeat, or overcharge jobs over ${KILLS} kills under load`, async function () {
    this.timeout(KILLS * 30_000 + 240_000);
    const random = seededRandom(seed);
    const way = await cuttable();
    const dataDir = await dataDirectory();
    await claimOn(dataDir);
    const { connection } = await clusterAccess({ environment: process.env, clock: systemClock });
    const workerHost = await localAddress(connection, AbortSignal.timeout(10_000));
    const world: KilledWorld = {
      flags: [
        '--runtime',
        'kubernetes',
        '--kube-node-images',
        '--kube-volume-claim',
        CLAIM,
        '--worker-host',
        workerHost,
      ],
      env: { KUBECONFIG: way.kubeconfig },
      dataDir,
      endpoint: { image: IMAGE, entrypoint: ['/usr/bin/node'], cmd: ['/app/worker.mjs'] },
      ...{ maxPauseMs: 8_000, outlive: true },
      phases: {
        'a pod is created': () =>
          untilNewPod(random, ({ status }) => status?.containerStatuses?.[0]?.state.running === undefined),
        'a worker starts': () =>
          untilNewPod(random, ({ status }) => status?.containerStatuses?.[0]?.state.running !== undefined),
        'a pod is deleted': async () => {
          const before = (await objects('pods')).map(nameOf);
          await killWorker(random);
          const isDeleting = async (): Promise<boolean> => {
            const pods = await objects('pods');
            // The deletion can also begin and end between two readings.
            return pods.some(isDeleted) || before.some((name) => !pods.map(nameOf).includes(name));
          };
          await eventually('a pod is being deleted', isDeleting, 90_000);
        },
      },
      victims: {
        connection: async () => {
          way.setOpen(false);
          way.cut();
          await new Promise((resolve) => setTimeout(resolve, random() * MAX_CUT_MS));
          way.setOpen(true);
        },
        worker: () => killWorker(random),
        pod: () => deletePod(random),
      },
      leftovers: async () => {
        // A node can take seconds to confirm the end of a pod.
        await eventually('no pod is left', async () => (await objects('pods')).length === 0, 60_000);
        const secrets = await objects('secrets');
        return secrets
          .filter(({ type }) => type === 'kubernetes.io/dockerconfigjson')
          .map(({ metadata }) => metadata.name);
      },
    };
    await withSeed(() => killUnderLoad('Cluster', KILLS, random, world));
  });
});

interface Listed {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly type?: string;
  readonly status?: {
    readonly containerStatuses?: readonly {
      readonly containerID?: string;
      readonly state: { readonly running?: object };
    }[];
  };
}

async function objects(kind: 'pods' | 'secrets'): Promise<Listed[]> {
  return (await cluster<{ items: Listed[] }>(`/api/v1/namespaces/${NAMESPACE}/${kind}`)).items;
}

/** Gives the directory to the nodes as a persistent volume claim. `cleanUp` removes it. */
async function claimOn(directory: string): Promise<void> {
  const metadata = { name: CLAIM };
  const resources = { requests: { storage: '20Gi' } };
  const spec = { accessModes: ['ReadWriteOnce'], resources, storageClassName: '' };
  afterwards(async () => {
    await kubectl(['--namespace', NAMESPACE, 'delete', 'persistentvolumeclaim', CLAIM]);
    await kubectl(['delete', 'persistentvolume', CLAIM]);
  });
  await apply(NAMESPACE, [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec }]);
  await bindVolume(NAMESPACE, { claim: CLAIM, volume: CLAIM, directory });
}

/** Kills the process of a random worker. */
async function killWorker(random: () => number): Promise<void> {
  await onRandomPod(random, async ({ status }) => {
    const id = status?.containerStatuses?.[0]?.containerID?.replace(/^\w+:\/\//, '');
    if (id === undefined) return false;
    const kill = { method: 'POST', path: `/v1.41/containers/${id}/kill` } as const;
    const killed = await Promise.allSettled(nodeEngines().map((engine) => engine.json(kill)));
    return killed.some((result) => result.status === 'fulfilled');
  });
}

/** Deletes a random pod without a grace time, as a person or the loss of a node does. */
async function deletePod(random: () => number): Promise<void> {
  await onRandomPod(random, async ({ metadata: { name } }) => {
    const query = { gracePeriodSeconds: '0' };
    await cluster(`/api/v1/namespaces/${NAMESPACE}/pods/${name}`, { method: 'DELETE', query });
    return true;
  });
}

const nameOf = ({ metadata }: Listed): string => metadata.name;
const isDeleted = ({ metadata }: Listed): boolean => metadata.deletionTimestamp !== undefined;

/** Deletes a random pod, and resolves once the platform has created another one that meets the condition. */
async function untilNewPod(random: () => number, condition: (pod: Listed) => boolean): Promise<void> {
  const before = new Set((await objects('pods')).map(({ metadata }) => metadata.name));
  await deletePod(random);
  const isNew = (pod: Listed): boolean => !before.has(pod.metadata.name) && !isDeleted(pod) && condition(pod);
  await eventually('a pod is new', async () => (await objects('pods')).some(isNew), 90_000);
}

async function onRandomPod(random: () => number, action: (pod: Listed) => Promise<boolean>): Promise<void> {
  await eventually(
    'a pod was found',
    async () => {
      const found = (await objects('pods')).filter((pod) => !isDeleted(pod));
      const pod = found[Math.floor(random() * found.length)];
      // It may have ended in the meantime.
      return pod !== undefined && action(pod).catch(() => false);
    },
    90_000,
  );
}
