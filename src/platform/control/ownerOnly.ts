import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../domain/refusal.ts';

/**
 * The control API is for the owner's key alone, whoever else has keys to the platform.
 *
 * @returns what throws a Refusal 401 for everyone else
 */
export function ownerOnly(apiKey: string): (incoming: IncomingMessage) => void {
  const expected = digest(apiKey);
  return ({ headers }) => {
    const token = /^Bearer +(.*)$/i.exec(headers.authorization?.trim() ?? '')?.[1];
    if (token === undefined || token === '') throw new Refusal(401, 'missing bearer token');
    if (!timingSafeEqual(digest(token), expected)) throw new Refusal(401, "this needs the owner's key");
  };
}

/** Of equal length whatever the key, so that the comparison takes the same time for every guess. */
const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
