import type { Endpoint } from '../../contract/endpoint.ts';
import { withoutControls } from '../../text/shownText.ts';
import { curlCode, requestCode, type CodeHeader, type CodeLanguage } from './requestCode.ts';
import { isQueue } from '../endpoints/endpointSnapshot.ts';
import type { JobRequest } from '../../contract/job.ts';

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

/** Returns code that sends a job. It reads the key from an environment variable. */
export function jobRequestCode(language: CodeLanguage, url: string, request: JobRequest): string {
  return requestCode(language, {
    method: 'POST',
    url,
    headers: [
      { name: 'Authorization', value: { prefix: 'Bearer ', variable: KEY_VARIABLE } },
      { name: 'Content-Type', value: 'application/json' },
    ],
    body: printableJson(request),
  });
}

/** Returns indented JSON in which invisible and control characters are escaped, because they could act on a terminal. */
function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/[^\n\x20-\x7e]/gu, (sign) =>
    withoutControls(sign) === sign && sign.trim() !== '' ? sign : escaped(sign),
  );
}

function escaped(sign: string): string {
  return Array.from({ length: sign.length }, (_, index) => sign.charCodeAt(index))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}
