import { listAll } from '../../../client/listAll.ts';
import type { Client } from '../../../client/client.ts';
import type { StoredJob } from '../../jobs/jobHistoryStore.ts';
import type { ToolConnection } from './agentTool.ts';

/* The parts of a tool's connection for programs without views, such as the MCP server. */

/** Returns changes of endpoints that are sent directly. */
export function endpointsWithoutView(client: Client): ToolConnection['endpoints'] {
  return {
    update: (target, id, body, options) => target.updateEndpoint({ id, body }, options),
    delete: async (target, id, options) => {
      await target.deleteEndpoint({ id }, options);
    },
    refresh: async () => {
      await listAll(client, 'listEndpoints', {}, 'endpoints');
    },
  };
}

/** Returns a record of jobs in memory. */
export function jobsWithoutView(connectionId: string): ToolConnection['jobs'] {
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
    tracking: { seen: () => Promise.resolve(), track: () => undefined },
  };
}
