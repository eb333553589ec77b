import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { deleteEndpoints } from '../../../features/endpoints/actions/deleteEndpoints.ts';
import { readSnapshot } from '../../../features/endpoints/actions/explainEndpoint.ts';
import { deletionQuestion } from '../../../features/endpoints/model/deletion.ts';
import { changeTool } from '../agentTool.ts';
import { platformLine } from '../confirmationWords.ts';
import { findEndpoint } from '../findEndpoint.ts';
import { endpointField } from './fields.ts';

export const deleteEndpoint = changeTool({
  name: 'delete_endpoint',
  title: 'Delete Endpoint',
  summary: 'Deletes an endpoint with its jobs and workers.',
  icon: 'trash',
  description:
    'Deletes an endpoint with its waiting and running jobs, its workers, and its releases. This cannot be undone. Call it only if the user asked for the deletion. ' +
    'To stop all costs without a deletion, use scale_endpoint with 0 and 0. The user is asked first.',
  input: z.strictObject({ endpoint: endpointField }),
  effect: 'destroy',
  commands: ['cloudCompute.endpoints.delete'],
  progress: ({ endpoint }) => l10n.t`Deleting “${endpoint}”`,
  plan: async ({ endpoint: wanted }, context) => {
    const connection = context.connection();
    const { client, endpoints: store } = connection;
    const endpoint = await findEndpoint(context, wanted);
    const { id, name } = endpoint;
    const { detail } = deletionQuestion([await readSnapshot(client, endpoint, context.signal)]);
    return {
      question: {
        title: l10n.t`Delete endpoint “${name}” on “${connection.name}”?`,
        lines: [l10n.t`ID: ${id}`, platformLine(connection), ...detail.text.split('\n')],
        content: id,
      },
      act: async () => {
        const [failed] = await deleteEndpoints({ client, store }, [endpoint]);
        if (failed) throw failed.error;
        return { deleted: { id, name } };
      },
    };
  },
});
