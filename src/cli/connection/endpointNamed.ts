import { endpointsNamed } from '../../account/endpoints/endpointSnapshot.ts';
import { listAll } from '../../client/listAll.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import type { Session } from './openSession.ts';
import { ApiError } from '../../client/apiError.ts';
import path from 'node:path';
import process from 'node:process';
import { readManifestCandidates } from '../../features/jobs/actions/readManifestCandidates.ts';
import { manifestOfJobFile } from '../../features/jobs/model/manifestOfJobFile.ts';
import type { FileTree } from '../../features/manifest/actions/readManifests.ts';
import { localFiles } from '../localFiles.ts';

/** Maximum number of names in an error. */
const MAX_NAMED = 20;

/** Returns the endpoint with this name or ID. @throws CannotRunError if there is none or there are several, and ApiError */
export async function endpointNamed(
  { client, name: platform }: Session,
  nameOrId: string,
  signal: AbortSignal,
): Promise<Endpoint> {
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal });
  const [endpoint, ...others] = endpointsNamed(nameOrId, endpoints);
  if (!endpoint) {
    const names = endpoints.slice(0, MAX_NAMED).map(({ name }) => name);
    const known = names.length > 0 ? `its endpoints are ${names.join(', ')}` : 'it has no endpoints';
    throw new CannotRunError(`${platform} has no endpoint ${nameOrId}; ${known}`);
  }
  if (others.length > 0) {
    const ids = [endpoint, ...others].map(({ id }) => id).join(', ');
    throw new CannotRunError(`several endpoints have the name ${nameOrId}; use one of the IDs ${ids}`);
  }
  return endpoint;
}

/**
 * Returns the ID of the endpoint that has a job.
 *
 * @param job its ID, and the name or ID of its endpoint if that is given
 * @throws CannotRunError if no endpoint has it, and ApiError
 */
export async function endpointOfJob(
  session: Session,
  { jobId, endpoint }: { readonly jobId: string; readonly endpoint: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  if (endpoint !== undefined) return (await endpointNamed(session, endpoint, signal)).id;
  const { client, name } = session;
  for (const { id, type } of await listAll(client, 'listEndpoints', {}, 'endpoints', { signal })) {
    if (type === 'LOAD_BALANCER') continue;
    const job = await client.getJobStatus({ endpointId: id, jobId }, { signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.kind === 'notFound') return undefined;
      throw error;
    });
    if (job) return id;
  }
  throw new CannotRunError(`no endpoint of ${name} has the job ${jobId}`);
}

/** One folder, without its subfolders. */
const oneFolder: FileTree<string> = {
  ...localFiles,
  list: async (folder) => (await localFiles.list(folder)).filter(({ kind }) => kind === 'file'),
};

/**
 * Returns the name of the endpoint whose manifest a job file belongs to by its place, with the rule of the editor. The folders are that of
 * the file and its parents, up to the working directory.
 *
 * @param given path of the job file
 */
export async function endpointBeside(given: string, signal: AbortSignal): Promise<string | undefined> {
  const file = path.resolve(given);
  for (const folder of foldersOf(file)) {
    const manifests = await readManifestCandidates(oneFolder, folder, signal).catch(() => []);
    signal.throwIfAborted();
    if (manifests.length === 0) continue;
    const from = path.relative(folder, file).replaceAll(path.sep, '/');
    return manifestOfJobFile({ path: from }, manifests)?.name;
  }
  return undefined;
}

function foldersOf(file: string): string[] {
  const own = path.dirname(file);
  const between = path.relative(process.cwd(), own);
  const isInside = !path.isAbsolute(between) && between.split(path.sep)[0] !== '..';
  const levels = isInside && between !== '' ? between.split(path.sep).length : 0;
  return Array.from({ length: levels + 1 }, (_, level) => path.resolve(own, ...Array<string>(level).fill('..')));
}
