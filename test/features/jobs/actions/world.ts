import type { Job } from '../../../../src/contract/job.ts';
import { JobHistoryStore } from '../../../../src/features/jobs/jobHistoryStore.ts';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import type { JobServicesOfConnection } from '../../../../src/features/jobs/actions/readJob.ts';
import { json, startScriptedServer, type Received, type Script } from '../../../client/scriptedServer.ts';
import { memento } from '../memento.ts';

export const CONNECTION = 'local';

export const stored = (id: string, change: Partial<StoredJob> = {}): StoredJob => ({
  id,
  endpointId: 'e',
  endpointName: 'hello',
  submittedAt: 1_000,
  status: 'IN_QUEUE',
  ...change,
});

export interface World extends JobServicesOfConnection {
  readonly history: JobHistoryStore;
  readonly tracked: string[];
  /** Requests so far: `POST /e/cancel/1`. */
  readonly calls: () => readonly string[];
  readonly received: readonly Received[];
  readonly statuses: () => readonly string[];
}

/** A server with a script, a history with these jobs, and a tracker that records states in the history. */
export async function withJobs<Result>(
  jobs: readonly StoredJob[],
  script: Script,
  test: (world: World) => Promise<Result>,
): Promise<Result> {
  await using server = await startScriptedServer(script);
  const history = new JobHistoryStore(memento());
  for (const job of jobs.toReversed()) await history.put(CONNECTION, job);
  const tracked: string[] = [];
  return await test({
    client: server.client,
    connectionId: CONNECTION,
    clock: { now: () => 9_000 },
    history,
    tracking: {
      track: (_, { id }) => void tracked.push(id),
      hold: () => () => undefined,
      seen: (connectionId, job, { status }) => history.put(connectionId, { ...job, status }),
    },
    tracked,
    calls: () => server.received.map(({ method, path }) => `${method} ${path.replace('/queue/v2', '')}`),
    received: server.received,
    statuses: () => history.recent(CONNECTION).map(({ id, status, gone }) => `${id} ${gone ? 'gone' : status}`),
  });
}

/** Responds with a job: its ID is the last segment of the path, and its status comes from a list by ID, or is 404. */
export function answering(statuses: Readonly<Record<string, Job['status'] | number>>): Script {
  return ({ path }, response) => {
    const id = path.split('/').at(-1) ?? '';
    const status = statuses[id] ?? 404;
    if (typeof status === 'number') json(response, status, { error: `refused with ${status}` });
    else json(response, 200, { id, status });
  };
}
