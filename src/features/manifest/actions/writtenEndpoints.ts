import { parseManifestFile } from '../model/text/parse.ts';

/** Fields of an endpoint as they are written. Nothing has checked their types. */
export type WrittenEndpoint = Readonly<Record<string, unknown>>;

/**
 * Returns the endpoints in the text of a manifest. An endpoint with errors counts if its text can be parsed.
 *
 * @param path path or name of the file, which tells its language
 */
export function writtenEndpoints(text: string, path: string): readonly WrittenEndpoint[] {
  const { parts } = parseManifestFile(text, path.endsWith('.json') ? 'json' : 'yaml');
  return parts.map(({ value }) => value).filter(isMap);
}

function isMap(value: unknown): value is WrittenEndpoint {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
