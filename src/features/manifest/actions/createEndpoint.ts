import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import type { CreateEndpointBody, Endpoint } from '../../../contract/endpoint.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import type { EndpointStore } from '../../../account/endpoints/endpointStore.ts';
import { processOf, type ProcessCommand } from '../../../account/consent/trustDecision.ts';
import { withTemplate } from '../../../account/consent/withTemplate.ts';
import { bodyOf, type Surroundings } from './compareWithDeployed.ts';
import { sendResolved } from './resolveBody.ts';
import type { ValueSource } from '../../../account/secrets/envReferences.ts';
import type { ManifestPart, ReadOptions } from '../model/manifestFile.ts';
import type { ManifestProblem } from '../model/problem.ts';

/* Steps that create an endpoint from a manifest. */

export interface ManifestSource extends ReadOptions {
  readonly text: string;
  /** Index of the endpoint in the file. Default: 0. */
  readonly part?: number;
  /** Absolute path of the manifest's folder, the base of a relative `x-local.directory`. Undefined if the folder is not on this machine. */
  readonly folder: string | undefined;
}

/** A manifest and the request that creates its endpoint. The references in `env` are not resolved. */
export interface Draft {
  readonly part: ManifestPart;
  readonly manifest: Manifest;
  readonly body: CreateEndpointBody;
}

/** Thrown for text that is not a valid manifest. */
export class InvalidManifestError extends Error {
  readonly problems: readonly ManifestProblem[];

  constructor(problems: readonly ManifestProblem[]) {
    super(l10n.t`invalid manifest: ${problems.map(({ message }) => message).join('; ')}`);
    this.name = 'InvalidManifestError';
    this.problems = problems;
  }
}

/** @throws InvalidManifestError, NoFolderError */
export async function readDraft({ text, folder, part: index = 0, ...options }: ManifestSource): Promise<Draft> {
  const { readManifestFile } = await import('../model/manifestFile.ts');
  const { parts, problems } = readManifestFile(text, options);
  const part = parts[index];
  if (!part) throw new InvalidManifestError(problems);
  return draftOf(part, { target: options.target, folder });
}

/** @throws InvalidManifestError, NoFolderError */
export function draftOf(part: ManifestPart, surroundings: Surroundings): Draft {
  const { manifest, problems } = part;
  if (!manifest) throw new InvalidManifestError(problems);
  return { part, manifest, body: bodyOf(manifest, surroundings) };
}

/**
 * Returns the command that the endpoint will run as a process, including the parts from its template. Undefined if it runs no process.
 *
 * @throws ApiError if the template cannot be read
 */
export async function processOfDraft(
  client: Pick<Client, 'getTemplate'>,
  { body }: Pick<Draft, 'body'>,
): Promise<ProcessCommand | undefined> {
  return processOf(await withTemplate(client, body));
}

/** Reads the endpoints and returns an existing one with this name. Names are not unique. */
export async function findNamesake(
  store: Pick<EndpointStore, 'refresh' | 'endpoints'>,
  name: string,
): Promise<EndpointSnapshot | undefined> {
  await store.refresh();
  return store.endpoints.find(({ endpoint, deleting }) => endpoint.name === name && !deleting);
}

export interface Creation {
  readonly client: Client;
  readonly store: Pick<EndpointStore, 'refresh'>;
  /** Values of the references in `env`. Default: none. */
  readonly values?: ValueSource;
}

/**
 * Creates the endpoint, then refreshes the store so that it contains the endpoint. References are resolved for the request only.
 *
 * @throws ApiError without the resolved values; UnresolvedReferencesError before the request
 */
export async function createEndpoint(
  { client, store, values }: Creation,
  { body }: Pick<Draft, 'body'>,
  signal: AbortSignal,
): Promise<Endpoint> {
  const endpoint = await sendResolved(body, values, (resolved, redact) =>
    client.createEndpoint({ body: resolved }, { signal, redact }),
  );
  await store.refresh();
  return endpoint;
}
