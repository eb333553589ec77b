import type { ContainerSummary, ImageSummary } from '@docker/node-sdk';
import { imageId } from '../../../machine/engine/engineImage.ts';
import type { EngineRequest } from '../../../machine/engine/engineApi.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import type { PullLine } from './pullProgress.ts';

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
