import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import type { CreateEndpointBody, Endpoint } from '../../../contract/endpoint.ts';
import { checkUpdateEndpoint } from '../../../contract/endpointRules.ts';
import { localSettingsOf } from '../../../contract/localSettings.ts';
import { formatPath, type FieldError } from '../../../contract/violation.ts';
import { ruleMessage } from '../../../account/contractText.ts';
import { processOfChange, type ProcessCommand } from '../../../account/consent/trustDecision.ts';
import { resolveBody, sendValues } from './resolveBody.ts';
import type { ValueSource } from '../../../account/secrets/envReferences.ts';
import { withTemplate } from '../../../account/consent/withTemplate.ts';
import { manifestOf } from '../model/deployment/endpointManifest.ts';
import { changeBetween, type ManifestChange } from '../model/deployment/difference.ts';
import type { EndpointStore } from '../../../account/endpoints/endpointStore.ts';
import type { Comparison } from '../model/deployment/compare.ts';
import { sectionsOf, violationInManifest } from '../../../contract/manifest.ts';
import { compareWithDeployed, type ComparisonSource } from './compareWithDeployed.ts';

/* Steps that update an endpoint, from its edited manifest or from a manifest in a file. `EndpointStore.update` sends the PATCH. */

/** An edit that cannot be sent. */
export class InvalidEditError extends Error {
  /**
   * `notManifest`: the text is not a manifest. `process`: its `x-local` has members that apply only to files. `onlyInFiles`: it has a
   * section that applies only to files, which is the reason. `localOnly`: it changes `x-local`, but this platform does not receive it.
   * `change`: the endpoint cannot be changed in this way.
   */
  readonly kind: 'notManifest' | 'process' | 'onlyInFiles' | 'localOnly' | 'change';
  readonly reasons: readonly string[];

  constructor(kind: InvalidEditError['kind'], reasons: readonly string[] = []) {
    super(l10n.t`invalid edit (${kind}): ${reasons.join('; ')}`);
    this.name = 'InvalidEditError';
    this.kind = kind;
    this.reasons = reasons;
  }
}

export interface EditSource {
  /** Kind of platform of the endpoint. */
  readonly target: 'local' | 'hosted';
  /** Values of the references in `env`. Default: none. */
  readonly values?: ValueSource | undefined;
}

/**
 * Returns the changes that an edited manifest makes to its endpoint. The comparison uses the values of references, but the body contains
 * the references. `sendResolved` resolves them.
 *
 * @throws InvalidEditError; UnresolvedReferencesError
 */
export async function readEdit(
  text: string,
  endpoint: Endpoint,
  { target, values }: EditSource,
): Promise<ManifestChange> {
  const { readManifestFile } = await import('../model/manifestFile.ts');
  const { parts, problems } = readManifestFile(text, { language: 'yaml', target });
  const [{ manifest } = {}, ...others] = parts;
  if (!manifest || others.length > 0) {
    const errors = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
    throw new InvalidEditError('notManifest', errors);
  }
  const { local = {}, body: settings, onlyInFiles } = sectionsOf(manifest);
  for (const [name, section] of Object.entries(onlyInFiles))
    if (section) throw new InvalidEditError('onlyInFiles', [name]);
  const { gpu, preload, ...process } = local;
  const received = localSettingsOf({ gpu, preload });
  if (Object.keys(process).length > 0) throw new InvalidEditError('process');
  const wanted: CreateEndpointBody = { ...settings, ...(received && { 'x-local': received }) };
  const { body: resolved } = await resolveBody(wanted, values);
  const { body, ...change } = changeBetween(manifestOf(endpoint), resolved);
  if (target === 'hosted' && body['x-local']) throw new InvalidEditError('localOnly');
  const reasons = reasonsToRefuse({ ...change, body }, endpoint);
  if (reasons.length > 0) throw new InvalidEditError('change', reasons);
  return { ...change, body: body.env && wanted.env ? { ...body, env: wanted.env } : body };
}

/** Returns the rules that forbid a change of an endpoint. The platform would reject it. */
function violationsOf(
  { refused, body }: Pick<ManifestChange, 'refused' | 'body'>,
  endpoint: Endpoint,
): readonly FieldError[] {
  return refused.length > 0 ? refused : checkUpdateEndpoint(body, endpoint);
}

/** Returns the reasons why an endpoint cannot be changed in this way. */
export function reasonsToRefuse(change: Pick<ManifestChange, 'refused' | 'body'>, endpoint: Endpoint): string[] {
  if (change.refused.length > 0) return change.refused.map(ruleMessage);
  return violationsOf(change, endpoint).map(
    (violation) => l10n.t`${formatPath(violation.path).slice(2)}: ${ruleMessage(violation)}`,
  );
}

/**
 * Returns the command that the endpoint runs as a process after the change, including the settings of its template. Returns undefined if
 * the change starts no process.
 *
 * @throws ApiError if the template cannot be read
 */
export async function processAfter(
  client: Pick<Client, 'getTemplate'>,
  { body }: Pick<ManifestChange, 'body'>,
  endpoint: Endpoint,
): Promise<ProcessCommand | undefined> {
  return processOfChange(await withTemplate(client, body), endpoint);
}

/**
 * Returns the settings in this change that another edit has also changed since this one began.
 *
 * @throws ApiError if the endpoint cannot be read
 */
export async function overwrittenSettings(
  client: Pick<Client, 'getEndpoint'>,
  { body }: Pick<ManifestChange, 'body'>,
  endpoint: Endpoint,
): Promise<readonly string[]> {
  const current = await client.getEndpoint({ id: endpoint.id });
  return changeBetween(manifestOf(endpoint), manifestOf(current))
    .changes.map(({ field }) => field)
    .filter((field) => field in body);
}

/** An update of an endpoint, before it is sent. */
export interface UpdatePlan {
  /** The endpoint as it was when the plan was made. */
  readonly endpoint: Endpoint;
  /** Its body contains only the settings that differ. */
  readonly comparison: Comparison;
  /** Changes that the endpoint does not allow, at the fields of the manifest. The platform would reject the update. */
  readonly violations: readonly FieldError[];
  /** The command that the endpoint runs as a process after the update. Undefined if the update starts no process. */
  readonly process: ProcessCommand | undefined;
}

/**
 * Reads the endpoint and compares it with its manifest.
 *
 * @throws ApiError if the endpoint or the template cannot be read, and NoFolderError
 */
export async function planUpdate(
  client: Pick<Client, 'getEndpoint' | 'getTemplate'>,
  source: ComparisonSource,
  endpointId: string,
  signal?: AbortSignal,
): Promise<UpdatePlan> {
  const endpoint = await client.getEndpoint({ id: endpointId }, { ...(signal && { signal }) });
  const comparison = await compareWithDeployed(client, source, endpoint, signal);
  return {
    endpoint,
    comparison,
    violations: violationsOf(comparison, endpoint).map((violation) =>
      violationInManifest(violation, source.manifest, source.target),
    ),
    process: processOfChange(comparison.body, endpoint),
  };
}

/**
 * Sends exactly the settings that differ. The store contains the updated endpoint afterwards.
 *
 * @param options `values` are the values of references in the update, which errors do not contain
 * @throws ApiError
 */
export function updateFromManifest(
  { client, store }: { readonly client: Client; readonly store: Pick<EndpointStore, 'update'> },
  { endpoint, comparison }: UpdatePlan,
  { values, signal }: { readonly values: readonly string[]; readonly signal?: AbortSignal },
): Promise<Endpoint> {
  const { body } = comparison;
  return sendValues(values, (redact) => store.update(client, endpoint.id, body, { redact, ...(signal && { signal }) }));
}
