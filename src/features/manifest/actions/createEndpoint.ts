import path from 'node:path';
import type { Client } from '../../../client/client.ts';
import type { CreateEndpointBody, Endpoint } from '../../../contract/endpoint.ts';
import { hostedCreateBody, localCreateBody, type Manifest } from '../../../contract/manifest.ts';
import type { EndpointSnapshot } from '../../endpoints/endpointSnapshot.ts';
import type { EndpointStore } from '../../endpoints/endpointStore.ts';
import { processOf, type ProcessCommand } from '../../trust/trustDecision.ts';
import { withTemplate } from '../../trust/withTemplate.ts';
import type { ManifestDocument, ManifestOptions, ManifestProblem } from '../manifestDocument.ts';

/* The steps that create an endpoint from a manifest. */

export interface ManifestSource extends Pick<ManifestOptions, 'language' | 'target'> {
  readonly text: string;
  /** Absolute path of the folder that the directory of a local worker is relative to. Undefined when there is none on this machine. */
  readonly folder: string | undefined;
}

/** A manifest and the request that creates its endpoint. */
export interface Draft {
  readonly read: ManifestDocument;
  readonly manifest: Manifest;
  readonly body: CreateEndpointBody;
}

/** A text that is not a manifest. */
export class InvalidManifestError extends Error {
  readonly problems: readonly ManifestProblem[];

  constructor(problems: readonly ManifestProblem[]) {
    super(`invalid manifest: ${problems.map(({ message }) => message).join('; ')}`);
    this.name = 'InvalidManifestError';
    this.problems = problems;
  }
}

/** A relative `x-local.directory` in a manifest that is in no folder on this machine. */
export class NoFolderError extends Error {
  constructor() {
    super('x-local.directory has no folder to be relative to');
    this.name = 'NoFolderError';
  }
}

/** @throws InvalidManifestError, NoFolderError */
export async function readDraft({ text, language, target, folder }: ManifestSource): Promise<Draft> {
  const { readManifest } = await import('../manifestDocument.ts');
  const read = readManifest(text, { language, target, report: 'all' });
  const { manifest } = read;
  if (!manifest) throw new InvalidManifestError(read.problems);
  const resolve = (directory: string) => {
    if (path.isAbsolute(directory)) return directory;
    if (folder === undefined) throw new NoFolderError();
    return path.resolve(folder, directory);
  };
  return {
    read,
    manifest,
    body: target === 'hosted' ? hostedCreateBody(manifest) : localCreateBody(manifest, resolve),
  };
}

/**
 * The command that the endpoint will run as a process, including what its template adds. Undefined when it runs none.
 *
 * @throws ApiError when the template cannot be read
 */
export async function processOfDraft(
  client: Pick<Client, 'getTemplate'>,
  { body }: Pick<Draft, 'body'>,
): Promise<ProcessCommand | undefined> {
  return processOf(await withTemplate(client, body));
}

/** Reads the endpoints and returns one that already has this name. Names need not be unique. */
export async function findNamesake(
  store: Pick<EndpointStore, 'refresh' | 'endpoints'>,
  name: string,
): Promise<EndpointSnapshot | undefined> {
  await store.refresh();
  return store.endpoints.find(({ endpoint, deleting }) => endpoint.name === name && !deleting);
}

/** Creates the endpoint, then reads the list of endpoints, so that the store has the new one. @throws ApiError */
export async function createEndpoint(
  { client, store }: { readonly client: Client; readonly store: Pick<EndpointStore, 'refresh'> },
  { body }: Pick<Draft, 'body'>,
  signal: AbortSignal,
): Promise<Endpoint> {
  const endpoint = await client.createEndpoint({ body }, { signal });
  await store.refresh();
  return endpoint;
}
