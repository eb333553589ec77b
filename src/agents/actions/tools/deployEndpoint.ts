import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { listAll } from '../../../client/listAll.ts';
import { WORKER_DEFAULTS } from '../../../contract/endpointSettings.ts';
import { formatPath } from '../../../contract/violation.ts';
import {
  createEndpoint,
  processOfDraft,
  readDraft,
  type Draft,
} from '../../../features/manifest/actions/createEndpoint.ts';
import {
  readEnvValues,
  type EnvValues,
  NO_VALUES,
  UnresolvedReferencesError,
} from '../../../features/manifest/actions/resolveBody.ts';
import { gateStateOf } from '../../../features/manifest/gate/actions/gateVerdicts.ts';
import { planUpdate, updateFromManifest } from '../../../features/manifest/actions/updateEndpoint.ts';
import { changeWords, workersSentence } from '../../../features/manifest/model/deployment/difference.ts';
import { referencesOf } from '../../../account/secrets/envReferences.ts';
import { ToolError } from '../../model/toolError.ts';
import { changeTool, type CallContext, type Plan, type ToolConnection } from '../agentTool.ts';
import { platformLine, priceOf, processLines, referenceLines, workerCostLine } from '../confirmationWords.ts';
import { endpointSummary, findEndpoint } from '../findEndpoint.ts';
import { readManifestInput, targetOf, type GivenManifest } from '../readManifestInput.ts';
import { deployedResult, testLines, testOf, verifySecondsField, type DeployedBy } from '../deployedResult.ts';
import { endpointField, manifestFields } from './fields.ts';
import type { ManifestPart } from '../../../features/manifest/model/manifestFile.ts';
import { isNamed } from '../../../features/manifest/model/patched/connectionMatch.ts';

interface Prepared extends EnvValues, DeployedBy {
  readonly draft: Draft;
  readonly given: GivenManifest;
}

export const deployEndpoint = changeTool({
  name: 'deploy_endpoint',
  title: 'Deploy Endpoint',
  summary: 'Creates an endpoint from a manifest, or updates one to match its manifest, and verifies it.',
  icon: 'cloud-upload',
  description:
    'Creates or updates a serverless endpoint on the current platform from a manifest of the workspace or from a text. Validate the manifest first with validate_manifest. ' +
    'On the local platform, the directory and the command of x-local run the worker as a process on the machine of the user, instead of the image. ' +
    'An update compares the endpoint with its manifest, and sends exactly the settings that differ. The type and the kind of hardware cannot change. Use scale_endpoint to change only the number of workers. ' +
    'The user is asked first, with the price per worker, and sees the differences of an update. Then the endpoint is verified: a worker must be up, unless none has to run, and the test of x-verify must pass. ' +
    'Returns the endpoint, and whether it is deployed, with the reason otherwise. ' +
    'A manifest with x-environments needs the choice of one with environment, whose connection must be the current one. In production, the user is always asked. ' +
    'Put secrets into env as ${secret:NAME} only, and never ask the user for a value.',
  input: z.strictObject({
    action: z
      .enum(['create', 'update', 'createAnother'])
      .describe(
        'create: a new endpoint, unless one has its name. update: changes the endpoint. createAnother: a new endpoint, even if one has its name.',
      ),
    ...manifestFields,
    environment: z
      .string()
      .max(100)
      .optional()
      .describe('Name of an environment in x-environments. Required if the manifest has environments.'),
    endpoint: endpointField
      .optional()
      .describe('Name or ID of the endpoint to update. Default: the name in the manifest.'),
    verifySeconds: verifySecondsField,
  }),
  effect: 'change',
  commands: [
    'cloudCompute.manifest.createEndpoint',
    'cloudCompute.manifest.deployAll',
    'cloudCompute.manifest.update',
    'cloudCompute.manifest.compare',
    'cloudCompute.endpoints.edit',
  ],
  progress: ({ action, file = l10n.t('a manifest') }) =>
    action === 'update' ? l10n.t`Updating an endpoint from ${file}` : l10n.t`Creating an endpoint from ${file}`,
  plan: async ({ action, endpoint, environment, verifySeconds, ...manifest }, context) => {
    if (action !== 'update' && endpoint !== undefined)
      throw new ToolError('invalidInput', 'endpoint: only an update takes it. The manifest names a new endpoint.');
    context.connection();
    const given = await readManifestInput(context, manifest);
    const draft = await readDraft({ ...given, target: targetOf(context), environment });
    requireEnvironment(draft.part, environment, context.connection());
    await requireGate(given, draft, targetOf(context));
    const env = await readEnvValues([draft.manifest.env], context.values ?? NO_VALUES);
    if (env.missing.length > 0) throw new UnresolvedReferencesError(env.missing);
    context.hide(env.values);
    const test = await testOf(context, given, draft.manifest);
    const prepared = { ...env, draft, given, test, verifySeconds };
    return action === 'update'
      ? updatePlan(prepared, endpoint ?? draft.manifest.name, context)
      : createPlan(prepared, action === 'create', context);
  },
});

/** @throws ToolError if `x-gate` needs a passed gate for this content */
async function requireGate(
  { folder, name }: GivenManifest,
  { manifest, part }: Draft,
  target: 'local' | 'hosted',
): Promise<void> {
  const file = folder === undefined ? undefined : path.join(folder, path.basename(name));
  const state = await gateStateOf({ file, manifest, value: part.parsed.value, target });
  if (state)
    throw new ToolError(
      'gateRequired',
      state === 'failed'
        ? 'The gate of x-gate failed for this content.'
        : 'x-gate requires a passed gate, and none has run for exactly this content.',
    );
}

async function createPlan(
  { draft, given, test, verifySeconds }: Prepared,
  needsFreeName: boolean,
  context: CallContext,
): Promise<Required<Plan>> {
  const { signal, values } = context;
  const connection = context.connection();
  const { client, endpoints: store } = connection;
  const { manifest, body } = draft;
  const { name } = body;
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal });
  const namesake = endpoints.find((endpoint) => endpoint.name === name);
  if (namesake && needsFreeName)
    throw new ToolError('nameTaken', `An endpoint with the name “${name}” exists already (${namesake.id}).`);
  const { min = WORKER_DEFAULTS.min, max = WORKER_DEFAULTS.max } = body.workers ?? {};
  const process = await processOfDraft(client, draft);
  const names = Object.keys(body.env ?? {});
  return {
    question: {
      title: l10n.t`Create endpoint “${name}” on “${connection.name}”?`,
      lines: [
        l10n.t`Manifest: ${given.name}`,
        ...environmentLines(draft.part),
        platformLine(connection),
        l10n.t`Workers: ${min} to ${max}${min > 0 ? l10n.t`, of which ${min} always run` : ''}`,
        ...(process
          ? processLines(connection, process)
          : [l10n.t`Image: ${body.image ?? l10n.t`of the template ${body.templateId ?? ''}`}`]),
        ...(names.length > 0 && !process ? [l10n.t`Environment variables: ${names.join(', ')}`] : []),
        ...referenceLines(referencesOf(body.env)),
        ...linesOf({ test, verifySeconds }),
        workerCostLine(connection, await priceOf(connection, manifest, signal)),
      ],
      content: JSON.stringify([body, test]),
      needsPerson: draft.part.environment?.production ?? false,
    },
    act: async () => {
      const endpoint = await createEndpoint({ client, store, ...(values && { values }) }, draft, signal);
      return {
        created: endpointSummary(endpoint),
        ...(await deployedResult(context, endpoint, { test, verifySeconds })),
      };
    },
  };
}

async function updatePlan(
  { draft, given, resolve, values, test, verifySeconds }: Prepared,
  nameOrId: string,
  context: CallContext,
): Promise<Required<Plan>> {
  const { signal } = context;
  const connection = context.connection();
  const { client, endpoints: store } = connection;
  const { manifest } = draft;
  const { id, name } = await findEndpoint(context, nameOrId);
  const source = { manifest, target: targetOf(context), folder: given.folder, resolve };
  const plan = await planUpdate(client, source, id, signal);
  const { comparison, endpoint, process, violations } = plan;
  if (violations.length > 0) {
    const reasons = violations.map(({ path, message }) => `${formatPath(path)}: ${message}`);
    throw new ToolError('notPossible', `The endpoint cannot be changed in this way: ${reasons.join('; ')}`);
  }
  if (comparison.changes.length === 0) {
    const equal = { updated: false, reason: 'The endpoint equals its manifest.' };
    return { question: undefined, act: () => Promise.resolve(equal) };
  }
  const changes = comparison.changes.map(changeWords);
  const workers = workersSentence(comparison);
  return {
    question: {
      title: l10n.t`Update endpoint “${name}” on “${connection.name}”?`,
      lines: [
        ...environmentLines(draft.part),
        ...changes,
        workers,
        platformLine(connection),
        ...processLines(connection, process),
        ...(comparison.body.env ? referenceLines(referencesOf(manifest.env)) : []),
        ...linesOf({ test, verifySeconds }),
        workerCostLine(connection, await priceOf(connection, manifest, signal)),
      ],
      content: JSON.stringify([id, comparison.body, test]),
      needsPerson: draft.part.environment?.production ?? false,
    },
    act: async () => {
      const updated = await updateFromManifest({ client, store }, plan, { values, signal });
      const result = {
        ...{ updated: true, changes, workers },
        ...{ endpoint: endpointSummary(updated), before: endpointSummary(endpoint) },
      };
      return { ...result, ...(await deployedResult(context, updated, { test, verifySeconds })) };
    },
  };
}

function linesOf({ test, verifySeconds }: DeployedBy): readonly string[] {
  return verifySeconds === 0 ? [] : testLines(test);
}

type Chosen = Pick<ManifestPart, 'environment' | 'environments'>;

/** Checks the choice of an environment. @throws ToolError if a manifest has others, or if its connection is not the current one */
function requireEnvironment(
  { environment, environments }: Chosen,
  chosen: string | undefined,
  connection: ToolConnection,
): void {
  const names = environments.map(({ name }) => name).join(', ');
  if (!environment && (environments.length > 0 || chosen !== undefined))
    throw new ToolError(
      'invalidInput',
      environments.length === 0
        ? 'environment: the manifest has no x-environments.'
        : `environment: choose one of ${names}.`,
    );
  const written = environment?.connection;
  if (written !== undefined && !isNamed(written, connection))
    throw new ToolError(
      'notPossible',
      `The environment ${environment?.name} is for the connection ${written}, and the current one is ${connection.name} (${connection.host}). Ask the user to switch the connection.`,
    );
}

/** Returns the line of a question that names the environment. */
function environmentLines({ environment }: Chosen): readonly string[] {
  if (!environment) return [];
  const { name, production } = environment;
  return [production ? l10n.t`Environment: ${name}, which is PRODUCTION` : l10n.t`Environment: ${name}`];
}
