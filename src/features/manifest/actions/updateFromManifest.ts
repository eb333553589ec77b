import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { checkUpdateEndpoint } from '../../../contract/endpointRules.ts';
import type { FieldError } from '../../../contract/violation.ts';
import { overwrittenSettings } from './updateEndpoint.ts';
import type { EndpointStore } from '../../../account/endpoints/endpointStore.ts';
import { processOfChange, type ProcessCommand } from '../../../account/consent/trustDecision.ts';
import type { Comparison } from '../model/deployment/compare.ts';
import { violationInManifest } from '../../../contract/manifest.ts';
import { compareWithDeployed, type ComparisonSource } from './compareWithDeployed.ts';
import { sendValues } from './resolveBody.ts';

/* Steps that update an endpoint from its manifest. */

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
  const { refused, body } = comparison;
  const broken: readonly FieldError[] = refused.length > 0 ? refused : checkUpdateEndpoint(body, endpoint);
  return {
    endpoint,
    comparison,
    violations: broken.map((violation) => violationInManifest(violation, source.manifest, source.target)),
    process: processOfChange(body, endpoint),
  };
}

/**
 * Returns the settings of the plan that another client has changed since the plan was made.
 *
 * @throws ApiError if the endpoint cannot be read
 */
export function changedMeanwhile(
  client: Pick<Client, 'getEndpoint'>,
  { comparison, endpoint }: UpdatePlan,
): Promise<readonly string[]> {
  return overwrittenSettings(client, comparison, endpoint);
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
