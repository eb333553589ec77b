import type { Endpoint } from '../../contract/endpoint.ts';
import { withoutControls } from '../../vscode/text/shownText.ts';
import { isQueue } from './endpointSnapshot.ts';

/** Environment variable that stands for the key: a key never gets into a clipboard or a shell's history. */
export const KEY_VARIABLE = 'CLOUD_COMPUTE_API_KEY';

/** The address at which an endpoint takes requests. Undefined when the service gives none, or anything other than an HTTP address. */
export function requestUrl({ requestUrls }: Pick<Endpoint, 'requestUrls'>): string | undefined {
  const { run, base } = (requestUrls ?? {}) as Readonly<Record<string, unknown>>;
  const url = run ?? base;
  return typeof url === 'string' && /^https?:\/\/\S+$/.test(url) && withoutControls(url) === url ? url : undefined;
}

/** A command for a POSIX shell that sends it a request. */
export function curlCommand(endpoint: Pick<Endpoint, 'type' | 'requestUrls'>, url: string): string {
  const authorization = `--header "Authorization: Bearer $${KEY_VARIABLE}"`;
  if (!isQueue(endpoint)) return `curl ${quoted(url)} ${authorization}`;
  return [
    `curl ${quoted(url)}`,
    authorization,
    "--header 'Content-Type: application/json'",
    `--data '{"input": {"prompt": "Hello"}}'`,
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
