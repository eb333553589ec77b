import type { Client } from '../../client/client.ts';
import { JobFollower } from '../../features/jobs/actions/jobFollower.ts';
import { JobHistoryStore } from '../../features/jobs/actions/jobHistoryStore.ts';
import type { ToolConnection } from './agentTool.ts';

/* Connections of tools for programs without views, such as the MCP server. */

/** Returns a connection whose changes of endpoints are sent directly, and whose record of jobs is in memory. */
export function connectionWithoutEditor(
  client: Client,
  named: Pick<ToolConnection, 'name' | 'isLocal' | 'host' | 's3'>,
): ToolConnection {
  const jobs = jobsWithoutView(named.isLocal ? 'local' : named.host, client);
  return { ...named, client, endpoints: ENDPOINTS, jobs };
}

/** Changes of endpoints that are sent directly. */
const ENDPOINTS: ToolConnection['endpoints'] = {
  update: (target, id, body, options) => target.updateEndpoint({ id, body }, options),
  delete: async (target, id, options) => {
    await target.deleteEndpoint({ id }, options);
  },
  find: () => undefined,
  // There is no list to refresh.
  refresh: () => Promise.resolve(),
};

/** Returns a record of jobs in memory. Jobs are followed only while a tool waits for them. */
function jobsWithoutView(connectionId: string, client: Client): ToolConnection['jobs'] {
  const values = new Map<string, unknown>();
  const history = new JobHistoryStore({
    keys: () => [...values.keys()],
    get: (key) => values.get(key),
    update: (key, value) => Promise.resolve(void values.set(key, value)),
  });
  const follower = new JobFollower({
    connections: { profile: { id: connectionId }, client, onDidChange: () => ({ dispose: () => undefined }) },
    clock: client.context.clock,
    history,
    onError: () => undefined,
  });
  return { connectionId, history, follower, requests: { put: () => Promise.resolve() } };
}
