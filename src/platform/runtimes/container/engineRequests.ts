import type {
  ContainerCreateRequest,
  ContainerInspectResponse,
  ContainerSummary,
  ImageSummary,
} from '@docker/node-sdk';
import { EngineError, type EngineRequest } from '../../../machine/engine/engineApi.ts';
import { ownedBy, runOf } from './containerLabels.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import { imageId } from '../../../machine/engine/engineImage.ts';
import type { PullLine } from './pullProgress.ts';

/* Requests about containers. All of them throw EngineError, and the signal's reason. */

/** Limit for requests that change a container, in ms. A busy engine takes seconds. */
const CHANGE_TIMEOUT_MS = 120_000;
const NOT_FOUND = 404;

/** Returns the ID of the created container. Cannot be aborted, because the outcome of an interrupted request is unknown. */
export async function createContainer(
  { api, prefix }: Engine,
  name: string,
  body: ContainerCreateRequest,
): Promise<string> {
  const path = `${prefix}/containers/create`;
  const created = await api.json<{ Id: string }>({
    method: 'POST',
    path,
    query: { name },
    body,
    timeoutMs: CHANGE_TIMEOUT_MS,
  });
  return created.Id;
}

export type ContainerChange = 'start' | 'kill' | 'pause' | 'unpause';

export async function changeContainer(
  { api, prefix }: Engine,
  id: string,
  change: ContainerChange,
  query: { readonly signal?: string } = {},
): Promise<void> {
  await api.json({ method: 'POST', path: `${prefix}/containers/${id}/${change}`, query, timeoutMs: CHANGE_TIMEOUT_MS });
}

/** Resolves with undefined if there is no such container. @param size whether to include the size of its files, which takes longer */
export async function inspectContainer(
  { api, prefix }: Engine,
  id: string,
  { size, signal }: { size?: boolean; signal?: AbortSignal } = {},
): Promise<ContainerInspectResponse | undefined> {
  try {
    return await api.json<ContainerInspectResponse>({
      path: `${prefix}/containers/${id}/json`,
      query: { size },
      signal,
    });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Ends and removes a container with its anonymous volumes. Does nothing if there is none. @param id its ID or name */
export async function removeContainer({ api, prefix }: Engine, id: string): Promise<void> {
  const path = `${prefix}/containers/${id}`;
  try {
    await api.json({ method: 'DELETE', path, query: { force: true, v: true }, timeoutMs: CHANGE_TIMEOUT_MS });
  } catch (error) {
    if (!isMissing(error) && !isBeingRemoved(error)) throw error;
  }
}

/** Ends and removes the containers of one platform whose runs are selected. Resolves with their number. */
export async function removeRuns(
  engine: Engine,
  owner: string,
  isSelected: (runId: string) => boolean,
): Promise<number> {
  const path = `${engine.prefix}/containers/json`;
  const query = { all: true, filters: ownedBy(owner) };
  const containers = await engine.api.json<ContainerSummary[]>({ path, query });
  const ours = containers.flatMap(({ Id: id, Labels: labels }) => (isSelected(runOf(labels) ?? '') ? (id ?? []) : []));
  await Promise.all(ours.map((id) => removeContainer(engine, id)));
  return ours.length;
}

const isMissing = (error: unknown): boolean => error instanceof EngineError && error.status === NOT_FOUND;

const CONFLICT = 409;
/** Another request is removing the container. */
const isBeingRemoved = (error: unknown): boolean => error instanceof EngineError && error.status === CONFLICT;

/* Requests for the images of an engine. All throw EngineError, or the signal's reason. */

/** Limit for the answer of a request, except a pull, in ms. */
const ANSWER_TIMEOUT_MS = 30_000;

const json = <T>({ api, prefix }: Engine, request: EngineRequest): Promise<T> =>
  api.json<T>({ timeoutMs: ANSWER_TIMEOUT_MS, ...request, path: prefix + request.path });

export function listImages(engine: Engine, signal: AbortSignal | undefined): Promise<readonly ImageSummary[]> {
  return json(engine, { path: '/images/json', signal });
}

/** Resolves with the IDs of the images of all containers, also of stopped ones. */
export async function usedImages(engine: Engine, signal: AbortSignal | undefined): Promise<ReadonlySet<string>> {
  const query = { all: true };
  const containers = await json<readonly ContainerSummary[]>(engine, { path: '/containers/json', query, signal });
  return new Set(containers.map(({ ImageID: id = '' }) => imageId(id)));
}

/** @param name reference, which is untagged, or ID, which is removed unless something uses it */
export function deleteImage(engine: Engine, name: string, signal: AbortSignal | undefined): Promise<unknown> {
  return json(engine, { method: 'DELETE', path: `/images/${name}`, signal });
}

/** Yields the report of a pull. Its last line may be an error. */
export function pullLines(
  { api, prefix }: Engine,
  { name, tag, headers }: { name: string; tag: string; headers: Readonly<Record<string, string>> },
  signal: AbortSignal,
): AsyncIterable<PullLine> {
  const query = { fromImage: name, tag };
  return api.lines<PullLine>({ method: 'POST', path: `${prefix}/images/create`, query, headers, signal });
}
