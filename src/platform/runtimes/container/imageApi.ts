import type { ContainerSummary, ImageInspect, ImageSummary } from '@docker/node-sdk';
import { EngineError, type EngineRequest } from '../../../machine/engine/engineApi.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import type { PullLine } from './pullProgress.ts';

/* Requests for the images of an engine. All throw EngineError, or the signal's reason. */

const NOT_FOUND = 404;
/** Limit for the answer of a request, except a pull, in ms. */
const ANSWER_TIMEOUT_MS = 30_000;

const json = <T>({ api, prefix }: Engine, request: EngineRequest): Promise<T> =>
  api.json<T>({ timeoutMs: ANSWER_TIMEOUT_MS, ...request, path: prefix + request.path });

/** Resolves with undefined if the engine has no such image. @param name reference, or ID */
export async function inspectImage(
  engine: Engine,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ImageInspect | undefined> {
  try {
    return await json<ImageInspect>(engine, { path: `/images/${name}/json`, signal });
  } catch (error) {
    if (error instanceof EngineError && error.status === NOT_FOUND) return undefined;
    throw error;
  }
}

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

/** Adds the algorithm, which Podman omits in some answers. */
export function imageId(id: string): string {
  return id === '' || id.includes(':') ? id : `sha256:${id}`;
}
