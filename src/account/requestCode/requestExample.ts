import type { Endpoint } from '../../contract/endpoint.ts';
import { withoutControls } from '../../text/shownText.ts';
import { curlCode } from './curlCode.ts';
import type { CodeHeader } from './codeRequest.ts';
import { isQueue } from '../endpoints/endpointSnapshot.ts';

/** Environment variable for the API key. It keeps the key itself out of the clipboard and the shell history. */
export const KEY_VARIABLE = 'CLOUD_COMPUTE_API_KEY';

/** Returns the request URL of an endpoint. Returns undefined if the service reports none or if it is not an HTTP URL. */
export function requestUrl({ requestUrls }: Pick<Endpoint, 'requestUrls'>): string | undefined {
  const { run, base } = (requestUrls ?? {}) as Readonly<Record<string, unknown>>;
  const url = run ?? base;
  return typeof url === 'string' && /^https?:\/\/\S+$/.test(url) && withoutControls(url) === url ? url : undefined;
}

/** Returns a command for a POSIX shell that sends a request to an endpoint. */
export function curlCommand(endpoint: Pick<Endpoint, 'type' | 'requestUrls'>, url: string): string {
  const authorization: CodeHeader = { name: 'Authorization', value: { prefix: 'Bearer ', variable: KEY_VARIABLE } };
  if (!isQueue(endpoint)) return curlCode({ method: 'GET', url, headers: [authorization] });
  return curlCode({
    method: 'POST',
    url,
    headers: [authorization, { name: 'Content-Type', value: 'application/json' }],
    body: '{"input": {"prompt": "Hello"}}',
  });
}
