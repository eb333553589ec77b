import type { Job } from '../../../../src/contract/job.ts';
import { JobHistoryStore } from '../../../../src/features/jobs/actions/jobHistoryStore.ts';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import { JobFollower } from '../../../../src/features/jobs/actions/jobFollower.ts';
import type { SubmitServices } from '../../../../src/features/jobs/actions/submitJob.ts';
import { isUnfinished } from '../../../../src/features/jobs/model/storedJob.ts';
import { Emitter } from '../../../../src/kit/emitter.ts';
import type { Client } from '../../../../src/client/client.ts';
import type { Clock } from '../../../../src/client/clock.ts';
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

export interface World extends SubmitServices {
  readonly history: JobHistoryStore;
  /** IDs of the jobs that are followed, and of those whose requests are stored. */
  readonly tracked: string[];
  readonly requested: string[];
  /** Requests so far: `POST /e/cancel/1`. */
  readonly calls: () => readonly string[];
  readonly received: readonly Received[];
  readonly statuses: () => readonly string[];
}

/** A server with a script, a history with these jobs, and a follower that only records states in the history. */
export async function withJobs<Result>(
  jobs: readonly StoredJob[],
  script: Script,
  test: (world: World) => Promise<Result>,
): Promise<Result> {
  await using server = await startScriptedServer(script);
  const history = new JobHistoryStore(memento());
  for (const job of jobs.toReversed()) await history.put(CONNECTION, job);
  const tracked: string[] = [];
  const requested: string[] = [];
  return await test({
    client: server.client,
    connectionId: CONNECTION,
    clock: { now: () => 9_000 },
    history,
    follower: {
      seen: async (connectionId, job, state) => {
        const { gone: _, ...present } = history.find(connectionId, job.id) ?? job;
        const next = { ...present, status: state.status };
        await history.put(connectionId, next);
        if (isUnfinished(next)) tracked.push(job.id);
      },
      wait: () => Promise.reject(new Error('not part of this test')),
    },
    requests: { put: (_, jobId) => Promise.resolve(void requested.push(jobId)) },
    requested,
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

/** Services that submit jobs with a real follower. `recorded` contains each entry of the history. */
export function submitting(client: Client, clock: Clock) {
  const changed = new Emitter<void>();
  const connections = { profile: { id: CONNECTION }, client: client as Client | undefined, onDidChange: changed.event };
  const history = new JobHistoryStore(memento());
  const recorded: StoredJob[] = [];
  history.onDidChange(() => recorded.push(...history.recent(CONNECTION).slice(0, 1)));
  const onError = (error: unknown): never => {
    throw error;
  };
  const follower = new JobFollower({ connections, clock, history, announce: () => undefined, onError });
  const services: SubmitServices = {
    ...{ client, clock, connectionId: CONNECTION, history, follower },
    requests: { put: () => Promise.resolve() },
  };
  const disconnect = () => {
    connections.client = undefined;
    changed.fire();
  };
  return { services, recorded, disconnect, dispose: () => follower.dispose() };
}
