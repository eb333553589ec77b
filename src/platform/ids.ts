import { randomBytes, randomInt, randomUUID } from 'node:crypto';

/* Identifiers in the formats of the hosted platform. */

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

function alphanumeric(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** 14 lowercase letters and digits. */
export const newEndpointId = (): string => alphanumeric(14);
export const newWorkerId = (): string => alphanumeric(14);
export const newReleaseId = (): string => alphanumeric(14);
export const newUserId = (): string => `user_${alphanumeric(20)}`;
export const newTeamId = (): string => `team_${alphanumeric(20)}`;
/** The public part of an API key. */
export const newApiKeyId = (): string => alphanumeric(16);

/** 10 lowercase letters and digits. */
export const newTemplateId = (): string => alphanumeric(10);
export const newNetworkVolumeId = (): string => alphanumeric(10);
export const newGlobalVolumeId = (): string => `gsb_${alphanumeric(14)}`;

/** 25 characters, starting with `c`. */
export const newRegistryId = (): string => `c${alphanumeric(24)}`;
export const isRegistryId = (id: string): boolean => /^c[a-z0-9]{24}$/.test(id);

/**
 * `<uuid>-l1`, with the prefix `sync-` for runsync. The last part names the region; `l` stands for local. IDs are ordered by time, so
 * consecutive jobs are neighbors in the store's index. Random IDs would make each job write another page.
 */
export const newJobId = (kind: 'run' | 'runsync'): string => `${kind === 'runsync' ? 'sync-' : ''}${orderedUuid()}-l1`;

/** A UUID that begins with the time in ms (RFC 9562, version 7). */
function orderedUuid(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Returns the operation that submitted the job. */
export const jobKind = (id: string): 'run' | 'runsync' => (id.startsWith('sync-') ? 'runsync' : 'run');

/** A secret of 192 random bits that is safe in URLs. */
export const newToken = (): string => randomBytes(24).toString('base64url');
