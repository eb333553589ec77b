import { listAll } from '../../client/listAll.ts';
import type { Clock } from '../../client/clock.ts';
import type { Client } from '../../client/client.ts';
import { withState } from '../../features/jobs/actions/jobStates.ts';
import type { StoredJob } from '../../features/jobs/model/storedJob.ts';
import type { ToolConnection } from './agentTool.ts';

/* Connections of tools for programs without views, such as the MCP server. */

/** Returns a connection whose changes of endpoints are sent directly, and whose record of jobs is in memory. */
export function connectionWithoutEditor(
  client: Client,
  named: Pick<ToolConnection, 'name' | 'isLocal' | 'host'>,
): ToolConnection {
  const jobs = jobsWithoutView(named.isLocal ? 'local' : named.host, client.context.clock);
  return { ...named, client, endpoints: endpointsWithoutView(client), jobs };
}

/** Returns changes of endpoints that are sent directly. */
function endpointsWithoutView(client: Client): ToolConnection['endpoints'] {
  return {
    update: (target, id, body, options) => target.updateEndpoint({ id, body }, options),
    delete: async (target, id, options) => {
      await target.deleteEndpoint({ id }, options);
    },
    find: () => undefined,
    refresh: async () => {
      await listAll(client, 'listEndpoints', {}, 'endpoints');
    },
  };
}

/** Returns a record of jobs in memory. */
function jobsWithoutView(connectionId: string, clock: Pick<Clock, 'now'>): ToolConnection['jobs'] {
  const known = new Map<string, StoredJob>();
  return {
    connectionId,
    history: {
      find: (_, jobId) => known.get(jobId),
      put: (_, job) => {
        known.set(job.id, job);
        return Promise.resolve();
      },
    },
    tracking: {
      seen: (_, job, state) => {
        known.set(job.id, withState(job, state, clock.now()));
        return Promise.resolve();
      },
      track: () => undefined,
    },
    keepRequest: () => Promise.resolve(),
  };
}
