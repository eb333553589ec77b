import type { HttpFile } from './httpFile.ts';
import { ENDPOINT_VARIABLE } from './requestUrl.ts';
import { referencesIn } from './template.ts';
import { endpointIn } from './variables.ts';

/** Returns the names and IDs of endpoints in a file, and whether a request has only a path without naming an endpoint. */
export function endpointsNamedIn({ blocks, variables }: HttpFile): {
  readonly named: ReadonlySet<string>;
  readonly usesDefault: boolean;
} {
  const pieces = [...blocks.flatMap(({ urlPieces }) => urlPieces), ...variables.map(({ value }) => value)];
  const named = new Set(
    pieces.flatMap((piece) => referencesIn(piece).flatMap((reference) => endpointIn(reference)?.name ?? [])),
  );
  const own = variables.findLast(({ name }) => name === ENDPOINT_VARIABLE)?.value.text;
  if (own !== undefined && !own.includes('{{')) named.add(own);
  return { named, usesDefault: own === undefined && blocks.some(({ url }) => url.startsWith('/')) };
}
