import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { CommandId } from '../../../kit/commandIds.ts';
import { explainEndpoint } from '../../../features/endpoints/actions/explainEndpoint.ts';
import { agentTool } from '../agentTool.ts';
import { endpointSummary } from '../endpointSummary.ts';
import { findEndpoint } from '../findEndpoint.ts';
import { FOREIGN } from '../foreignData.ts';
import { endpointField } from './fields.ts';

/** Tools that do what the next steps of a diagnosis suggest. */
const toolOf: Readonly<Partial<Record<CommandId, string>>> = {
  'cloudCompute.endpoints.scale': 'scale_endpoint',
  'cloudCompute.endpoints.edit': 'update_endpoint',
  'cloudCompute.endpoints.refreshOne': 'explain_endpoint',
  'cloudCompute.logs.open': 'read_logs',
};

export const explain = agentTool({
  name: 'explain_endpoint',
  title: 'Explain Endpoint',
  summary: 'Explains why jobs of an endpoint wait or its workers do not run.',
  icon: 'question',
  description:
    'Explains the state of an endpoint: why its jobs wait or its workers do not run, with the log lines that prove it, and the next steps with the tools for them. ' +
    'Also returns its settings, the number of jobs by state, and its workers. Use it whenever a job stays in the queue or a worker is unhealthy. Costs nothing.',
  input: z.strictObject({ endpoint: endpointField }),
  effect: 'read',
  commands: ['cloudCompute.endpoints.explain', 'cloudCompute.endpoints.open'],
  progress: ({ endpoint }) => l10n.t`Examining “${endpoint}”`,
  run: async ({ endpoint: wanted }, context) => {
    const { client, isLocal, endpoints } = context.connection();
    const endpoint = await findEndpoint(context, wanted);
    const stuckSince = endpoints.find(endpoint.id)?.stuckSince;
    const platform = isLocal ? 'local' : 'hosted';
    const { snapshot, diagnosis } = await explainEndpoint(client, endpoint, { platform, stuckSince }, context.signal);
    const { cause, severity, headline, explanation, evidence, next } = diagnosis;
    return {
      ...{ cause, severity, headline, explanation, evidence },
      nextSteps: next.map(({ title, why, command, node }) => ({
        title,
        why,
        tool: toolOf[command],
        ...(node.kind === 'worker' && { worker: node.workerId }),
      })),
      endpoint: endpointSummary(endpoint),
      jobs: snapshot.health?.jobs,
      workers: snapshot.workers?.summary,
      note: FOREIGN,
    };
  },
});
