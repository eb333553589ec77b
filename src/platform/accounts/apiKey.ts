import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiKeyRecord } from '../domain/account.ts';
import { newApiKeyId } from '../ids.ts';

/*
 * API keys: `cck_<id>_<secret>`. The ID finds the record, and the secret proves that the platform issued the key. The secret has 256
 * random bits, so a fast digest is as safe as a slow one. The salt prevents comparisons between digests.
 */

const KEY = /^cck_([a-z0-9]{16})_([\w-]{43})$/;

/** Creates a key and its stored record. The record does not contain the secret, so the key cannot be shown again. */
export function newApiKey(about: Omit<ApiKeyRecord, 'id' | 'salt' | 'digest'>): { key: string; record: ApiKeyRecord } {
  const id = newApiKeyId();
  const secret = randomBytes(32).toString('base64url');
  const salt = randomBytes(16).toString('base64url');
  return {
    key: `cck_${id}_${secret}`,
    record: { ...about, id, salt, digest: digest(salt, secret).toString('base64url') },
  };
}

/** Returns the ID in a token with the format of a key, or undefined for any other token. */
export function apiKeyId(token: string): string | undefined {
  return KEY.exec(token)?.[1];
}

/** Whether the token is the key of the record. Takes the same time for every wrong secret. */
export function isApiKeyOf(token: string, record: ApiKeyRecord): boolean {
  const [, id, secret = ''] = KEY.exec(token) ?? [];
  return id === record.id && timingSafeEqual(digest(record.salt, secret), Buffer.from(record.digest, 'base64url'));
}

function digest(salt: string, secret: string): Buffer {
  return hash('sha256', `${salt}.${secret}`, 'buffer');
}
