import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import {
  createEndpoint,
  processOfDraft,
  readDraft,
  type Draft,
} from '../../../features/manifest/actions/createEndpoint.ts';
import { readEnvValues } from '../../../features/manifest/actions/envValues.ts';
import { NO_VALUES, UnresolvedReferencesError } from '../../../features/manifest/actions/resolveBody.ts';
import { referencesOf } from '../../../account/secrets/envReferences.ts';
import { WORKER_DEFAULTS } from '../../../contract/endpoint.ts';
import { listAll } from '../../../client/listAll.ts';
import { ToolError } from '../../model/toolError.ts';
import { agentTool, type CallContext } from '../agentTool.ts';
import { platformLine, priceOf, processLines, referenceLines, workerCostLine } from '../confirmationWords.ts';
import { endpointSummary } from '../endpointSummary.ts';
import { readManifestInput, targetOf, type GivenManifest, type ManifestInput } from '../readManifestInput.ts';
import { manifestFields } from './fields.ts';

interface Input extends ManifestInput {
  readonly allowSameName?: boolean | undefined;
}

export const create = agentTool({
  name: 'create_endpoint',
  title: 'Create Endpoint',
  summary: 'Creates an endpoint from a manifest.',
  icon: 'cloud-upload',
  description:
    'Creates a serverless endpoint on the current platform from a manifest of the workspace or from a text. Validate the manifest first with validate_manifest. ' +
    'On the local platform, the directory and the command of x-local run the worker as a process on the machine of the user, instead of the image. The user is asked before, with the price per worker. ' +
    'Returns the new endpoint. Then use run_job (type QUEUE) or send_request (type LOAD_BALANCER), and explain_endpoint if no worker starts. ' +
    'Put secrets into env as ${secret:NAME} only, and never ask the user for a value.',
  input: z.strictObject({
    ...manifestFields,
    allowSameName: z
      .boolean()
      .optional()
      .describe('Creates the endpoint even if another one has its name. Default: false.'),
  }),
  effect: 'change',
  commands: ['cloudCompute.manifest.createEndpoint', 'cloudCompute.manifest.deployAll'],
  progress: ({ file }) => l10n.t`Creating an endpoint from ${file === undefined ? l10n.t('a manifest') : `“${file}”`}`,
  confirm: async (input, context) => {
    const { draft, given } = await prepared(input, context);
    const connection = context.connection();
    const { manifest, body } = draft;
    const { min = WORKER_DEFAULTS.min, max = WORKER_DEFAULTS.max } = body.workers ?? {};
    const process = await processOfDraft(connection.client, draft);
    const names = Object.keys(body.env ?? {});
    return {
      title: l10n.t`Create endpoint “${body.name}” on “${connection.name}”?`,
      lines: [
        l10n.t`Manifest: ${given.name}`,
        platformLine(connection),
        l10n.t`Workers: ${min} to ${max}${min > 0 ? l10n.t`, of which ${min} always run` : ''}`,
        ...(process
          ? processLines(connection, process)
          : [l10n.t`Image: ${body.image ?? l10n.t`of the template ${body.templateId ?? ''}`}`]),
        ...(names.length > 0 && !process ? [l10n.t`Environment variables: ${names.join(', ')}`] : []),
        ...referenceLines(referencesOf(body.env)),
        workerCostLine(connection, await priceOf(connection, manifest, context.signal)),
      ],
      content: JSON.stringify(body),
    };
  },
  run: async (input, context) => {
    const { draft } = await prepared(input, context);
    const { client, endpoints } = context.connection();
    const creation = { client, store: endpoints, ...(context.values && { values: context.values }) };
    const endpoint = await createEndpoint(creation, draft, context.signal);
    const next =
      endpoint.type === 'LOAD_BALANCER'
        ? 'Send a request with send_request. The first one waits for the start of a worker.'
        : 'Run a job with run_job. The first one waits for the start of a worker.';
    return { created: endpointSummary(endpoint), next };
  },
});

/** @throws ToolError, InvalidManifestError, NoFolderError, UnresolvedReferencesError, and ApiError */
async function prepared(
  input: Input,
  context: CallContext,
): Promise<{ readonly draft: Draft; readonly given: GivenManifest }> {
  const { client } = context.connection();
  const given = await readManifestInput(context, input);
  const draft = await readDraft({ ...given, target: targetOf(context) });
  const { name, env } = draft.body;
  const { missing, values } = await readEnvValues([env], context.values ?? NO_VALUES);
  if (missing.length > 0) throw new UnresolvedReferencesError(missing);
  context.hide(values);
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal: context.signal });
  const namesake = endpoints.find((endpoint) => endpoint.name === name);
  if (namesake && input.allowSameName !== true)
    throw new ToolError('nameTaken', `An endpoint with the name “${name}” exists already (${namesake.id}).`);
  return { draft, given };
}
