import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { listAll } from '../../../client/listAll.ts';
import { agentTool } from '../agentTool.ts';
import { endpointSummary } from '../endpointSummary.ts';

export const listEndpoints = agentTool({
  name: 'list_endpoints',
  title: 'List Endpoints',
  summary: 'Lists the endpoints of the current platform.',
  icon: 'server',
  description:
    'Lists the serverless endpoints of the current platform: ID, name, type (QUEUE runs jobs, LOAD_BALANCER answers HTTP requests), image, hardware, and the allowed number of workers. ' +
    'Call it first to find the name or ID that other tools need. Costs nothing. Values of environment variables are never returned.',
  input: z.strictObject({
    nameContains: z.string().optional().describe('Returns only endpoints whose name contains this text, in any case.'),
  }),
  effect: 'read',
  commands: ['cloudCompute.endpoints.refresh', 'cloudCompute.endpoints.arrange'],
  progress: () => l10n.t('Listing endpoints'),
  run: async ({ nameContains = '' }, context) => {
    const { client, name } = context.connection();
    const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal: context.signal });
    const wanted = endpoints.filter((endpoint) => endpoint.name.toLowerCase().includes(nameContains.toLowerCase()));
    return { connection: name, count: wanted.length, endpoints: wanted.map(endpointSummary) };
  },
});
