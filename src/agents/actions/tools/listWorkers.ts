import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { listWorkers } from '../../../features/logs/actions/listWorkers.ts';
import { agentTool } from '../agentTool.ts';
import { findEndpoint } from '../findEndpoint.ts';
import { endpointField } from './fields.ts';

export const workers = agentTool({
  name: 'list_workers',
  title: 'List Workers',
  summary: 'Lists the workers of an endpoint, or of all endpoints.',
  icon: 'vm',
  description:
    'Lists the active workers of one endpoint, or of all endpoints: ID, status (RUNNING, IDLE, INITIALIZING, THROTTLED, or UNHEALTHY), uptime, GPU type, and data center. ' +
    'Use the ID with read_logs or search_logs. Use explain_endpoint to find out why a worker does not run. Costs nothing.',
  input: z.strictObject({ endpoint: endpointField.optional() }),
  effect: 'read',
  commands: ['cloudCompute.endpoints.refreshOne', 'cloudCompute.jobs.revealWorker'],
  progress: () => l10n.t('Listing workers'),
  run: async ({ endpoint: wanted }, context) => {
    const { client } = context.connection();
    const endpoint = wanted === undefined ? undefined : await findEndpoint(context, wanted);
    const listed = await listWorkers(client, {
      endpointId: endpoint?.id,
      signal: context.signal,
      onProgress: (done, total) => context.report(l10n.t`${done} of ${total} endpoints`),
    });
    return {
      count: listed.length,
      workers: listed.map(({ endpoint: { id, name }, worker }) => ({
        id: worker.id,
        status: worker.status,
        endpoint: { id, name },
        isStale: worker.isStale,
        uptimeSeconds: worker.uptimeSeconds,
        startedAt: worker.startedAt,
        gpuTypeId: worker.gpuTypeId,
        gpuCount: worker.gpuCount,
        dataCenterId: worker.dataCenterId,
      })),
    };
  },
});
