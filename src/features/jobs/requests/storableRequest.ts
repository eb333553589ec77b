import type { JobRequest } from '../../../contract/job.ts';
import { keyKind } from '../../../text/keyPatterns.ts';
import type { NotStored } from './jobRequests.ts';

/** Maximum size of a stored request, in bytes. Larger inputs, such as encoded images, belong in job files. */
const MAX_REQUEST_BYTES = 64 * 1024;

export type Storable = { readonly request: JobRequest } | { readonly reason: NotStored };

/** Returns the part of a request that may be stored on this machine, or the reason why nothing of it may be stored. */
export function storableRequest({ s3Config: _, ...request }: JobRequest): Storable {
  if (Buffer.byteLength(JSON.stringify(request)) > MAX_REQUEST_BYTES) return { reason: 'tooLarge' };
  return hasSecret('', request) ? { reason: 'secret' } : { request };
}

function hasSecret(name: string, value: unknown): boolean {
  if (typeof value === 'string') return keyKind(name, value) !== undefined || hasPassword(value);
  if (Array.isArray(value)) return value.some((item) => hasSecret(name, item));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([member, content]) => hasSecret(member, content));
}

/** Returns whether a text is an address with a password. */
function hasPassword(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && (URL.parse(text)?.password ?? '') !== '';
}
