import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { readDraft } from '../../../features/manifest/actions/createEndpoint.ts';
import { readEnvValues } from '../../../features/manifest/actions/envValues.ts';
import { NO_VALUES, UnresolvedReferencesError } from '../../../features/manifest/actions/resolveBody.ts';
import {
  planUpdate,
  updateFromManifest,
  type UpdatePlan,
} from '../../../features/manifest/actions/updateFromManifest.ts';
import { changeWords, workersSentence } from '../../../features/manifest/model/deployment/difference.ts';
import { referencesOf } from '../../../account/secrets/envReferences.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import { formatPath } from '../../../contract/violation.ts';
import { ToolError } from '../../model/toolError.ts';
import { agentTool, type CallContext } from '../agentTool.ts';
import { platformLine, priceOf, processLines, referenceLines, workerCostLine } from '../confirmationWords.ts';
import { endpointSummary } from '../endpointSummary.ts';
import { findEndpoint } from '../findEndpoint.ts';
import { readManifestInput, targetOf, type ManifestInput } from '../readManifestInput.ts';
import { endpointField, manifestFields } from './fields.ts';

interface Input extends ManifestInput {
  readonly endpoint?: string | undefined;
}

interface Prepared {
  readonly manifest: Manifest;
  readonly plan: UpdatePlan;
  /** Values of references, which errors do not contain. */
  readonly values: readonly string[];
}

export const update = agentTool({
  name: 'update_endpoint',
  title: 'Update Endpoint',
  summary: 'Updates an endpoint so that it equals its manifest.',
  icon: 'sync',
  description:
    'Updates an endpoint from its manifest: compares both, and sends exactly the settings that differ. The user sees the differences and is asked before. ' +
    'The endpoint is the one with the name in the manifest, unless endpoint names another one. The type and the kind of hardware cannot change. ' +
    'Returns the changes, or that there are none. Use scale_endpoint to change only the number of workers.',
  input: z.strictObject({
    ...manifestFields,
    endpoint: endpointField.optional().describe('Name or ID of the endpoint. Default: the name in the manifest.'),
  }),
  effect: 'change',
  commands: [
    'cloudCompute.manifest.update',
    'cloudCompute.manifest.compare',
    'cloudCompute.endpoints.edit',
    'cloudCompute.manifest.deployAll',
  ],
  progress: ({ file, endpoint }) =>
    l10n.t`Updating ${endpoint === undefined ? l10n.t('an endpoint') : `“${endpoint}”`} from ${file ?? l10n.t('a manifest')}`,
  confirm: async (input, context) => {
    const { manifest, plan } = await prepared(input, context);
    const { comparison, endpoint, process } = plan;
    if (comparison.changes.length === 0) return undefined;
    const connection = context.connection();
    return {
      title: l10n.t`Update endpoint “${endpoint.name}” on “${connection.name}”?`,
      lines: [
        ...comparison.changes.map(changeWords),
        workersSentence(comparison),
        platformLine(connection),
        ...processLines(connection, process),
        ...(comparison.body.env ? referenceLines(referencesOf(manifest.env)) : []),
        workerCostLine(connection, await priceOf(connection, manifest, context.signal)),
      ],
      content: JSON.stringify([endpoint.id, comparison.body]),
    };
  },
  run: async (input, context) => {
    const { plan, values } = await prepared(input, context);
    const { comparison, endpoint } = plan;
    if (comparison.changes.length === 0) return { updated: false, reason: 'The endpoint equals its manifest.' };
    const { client, endpoints } = context.connection();
    const updated = await updateFromManifest({ client, store: endpoints }, plan, { values, signal: context.signal });
    return {
      updated: true,
      changes: comparison.changes.map(changeWords),
      workers: workersSentence(comparison),
      endpoint: endpointSummary(updated),
      before: endpointSummary(endpoint),
    };
  },
});

async function prepared(input: Input, context: CallContext): Promise<Prepared> {
  const { client } = context.connection();
  const given = await readManifestInput(context, input);
  const target = targetOf(context);
  const { manifest } = await readDraft({ ...given, target });
  const { resolve, values, missing } = await readEnvValues([manifest.env], context.values ?? NO_VALUES);
  if (missing.length > 0) throw new UnresolvedReferencesError(missing);
  context.hide(values);
  const { id } = await findEndpoint(context, input.endpoint ?? manifest.name);
  const source = { manifest, target, folder: given.folder, resolve };
  const plan = await planUpdate(client, source, id, context.signal);
  if (plan.violations.length > 0) {
    const reasons = plan.violations.map(({ path, message }) => `${formatPath(path)}: ${message}`);
    throw new ToolError('notPossible', `The endpoint cannot be changed in this way: ${reasons.join('; ')}`);
  }
  return { manifest, plan, values };
}
