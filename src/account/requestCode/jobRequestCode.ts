import type { JobRequest } from '../../contract/job.ts';
import { withoutControls } from '../../text/shownText.ts';
import { KEY_VARIABLE } from './requestExample.ts';
import { requestCode, type CodeLanguage } from './requestCode.ts';

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
