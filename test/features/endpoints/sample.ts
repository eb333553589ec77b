import { Endpoint } from '../../../src/contract/endpoint.ts';
import { EndpointHealth } from '../../../src/contract/job.ts';
import { ReleaseList } from '../../../src/contract/release.ts';
import { Worker, type WorkerList, type WorkerSummary } from '../../../src/contract/worker.ts';
import type { EndpointSnapshot } from '../../../src/account/endpoints/endpointSnapshot.ts';

/** Current time in tests, in ms since the epoch. */
export const NOW = Date.parse('2026-03-01T12:00:00Z');

export const endpoint = Endpoint.parse({
  id: '4m7x2k9q',
  name: 'hello',
  type: 'QUEUE',
  workers: { min: 0, max: 3, idleTimeout: 10 },
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  dataCenterIds: [],
  networkVolumes: [],
  mounts: {},
  timeout: 300_000,
  flashboot: 'OFF',
  createdAt: '2026-01-01T00:00:00Z',
  image: 'process:/home/me/samples/hello',
});

export function worker(id: string, status = 'IDLE', changes: Partial<Worker> = {}): Worker {
  return Worker.parse({ id, status, isStale: false, gpuCount: 0, version: 2, uptimeSeconds: 75, ...changes });
}

/** Returns workers with these states and the ids w1, w2, and so on. */
export function workers(...statuses: string[]): WorkerList {
  const list = statuses.map((status, index) => worker(`w${index + 1}`, status));
  const count = (name: string) => statuses.filter((status) => status === name.toUpperCase()).length;
  const names = ['running', 'idle', 'initializing', 'throttled', 'unhealthy'] as const;
  const summary = Object.fromEntries(names.map((name) => [name, count(name)])) as Omit<WorkerSummary, 'total'>;
  return { workers: list, summary: { ...summary, total: list.length } as WorkerSummary, endpointVersion: 2 };
}

export function health(jobs: Partial<EndpointHealth['jobs']>): EndpointHealth {
  return EndpointHealth.parse({
    jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0, ...jobs },
    workers: { idle: 0, running: 0 },
  });
}

export const releases = ReleaseList.parse({
  releases: [
    {
      id: 'r2',
      version: 2,
      source: 'MANUAL',
      workerCount: 1,
      createdAt: '2026-03-01T11:55:00Z',
      diff: [
        { field: 'template.imageName', old: 'a:1', new: 'a:2' },
        { field: 'template.env', old: { TOKEN: 'old secret' }, new: { TOKEN: 'new secret' } },
      ],
    },
    { id: 'r1', version: 1, source: 'MANUAL', workerCount: 0, createdAt: '2026-02-01T12:00:00Z', diff: [] },
  ],
  rollout: { inProgress: true, workersOnLatest: 1, workersTotal: 2, percentOnLatest: 50 },
  endpointVersion: 2,
});

export function snapshot(
  list: WorkerList | undefined = workers(),
  changes: Partial<EndpointSnapshot> = {},
): EndpointSnapshot {
  return { endpoint, workers: list, deleting: false, ...changes };
}

/** Returns the sample endpoint with another id and name, and with changes. */
export function named(id: string, changes: Partial<Endpoint> = {}): Endpoint {
  return { ...endpoint, id, name: id, ...changes };
}
