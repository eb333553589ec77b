import { followToEnd } from '../../../client/followToEnd.ts';
import { isTerminal, type Job, type JobRequest } from '../../../contract/job.ts';
import type { StoredJob } from '../jobHistoryStore.ts';
import type { JobServices } from '../runJob.ts';
import type { JobViewServices } from './viewServices.ts';

/* Replaced at the merge by the request store and the tracker of `features/jobs/requests` and `features/jobs/tracking`. */

export function interimServices(services: JobServices): JobViewServices {
  const { connections, history, documents, clock, lastInputs, log } = services;
  const requests = new Map<string, JobRequest>();
  const followed = new Set<string>();
  const seen = async (connectionId: string, job: StoredJob, state: Job): Promise<void> => {
    const { status, delayTime, executionTime, workerId } = state;
    documents.update({ connectionId, endpointId: job.endpointId, jobId: job.id }, state);
    await history.put(connectionId, {
      ...job,
      status,
      ...(delayTime !== undefined && { delayTime }),
      ...(executionTime !== undefined && { executionTime }),
      ...(workerId !== undefined && { workerId }),
      ...(isTerminal(status) && { endedAt: job.endedAt ?? clock.now() }),
    });
  };
  history.onDidChange((connectionId) => {
    const [newest] = history.recent(connectionId);
    const request = newest && lastInputs.get(connectionId, newest.endpointId);
    if (newest && request && newest.notStored === undefined && !requests.has(newest.id))
      requests.set(newest.id, request);
  });
  return {
    ...services,
    requests: {
      put: (_, jobId, request) => {
        requests.set(jobId, request);
        return Promise.resolve(undefined);
      },
      get: (_, jobId) => Promise.resolve(requests.get(jobId)),
      remove: (_, jobIds) => {
        for (const id of jobIds) requests.delete(id);
        return Promise.resolve();
      },
    },
    tracking: {
      seen,
      track: (connectionId, job) => {
        const { client } = connections;
        if (!client || followed.has(job.id)) return;
        followed.add(job.id);
        followToEnd({
          client,
          address: { endpointId: job.endpointId, jobId: job.id },
          signal: new AbortController().signal,
          mayRecover: () => connections.client === client,
          onJob: (state) => {
            const stored = history.find(connectionId, job.id);
            if (stored) void seen(connectionId, stored, state);
          },
          onCanceling: () => undefined,
        })
          .catch((error: unknown) => log.warn('Could not follow a job', error))
          .finally(() => followed.delete(job.id));
      },
    },
  };
}
