import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../domain/refusal.ts';

/**
 * Restricts the control API to the owner's key.
 *
 * @returns a function that throws a Refusal 401 for any other key
 */
export function ownerOnly(apiKey: string): (incoming: IncomingMessage) => void {
  const expected = digest(apiKey);
  return ({ headers }) => {
    const token = /^Bearer +(.*)$/i.exec(headers.authorization?.trim() ?? '')?.[1];
    if (token === undefined || token === '') throw new Refusal(401, 'missing bearer token');
    if (!timingSafeEqual(digest(token), expected)) throw new Refusal(401, "the control API requires the owner's key");
  };
}

/** Converts keys to the same length, which `timingSafeEqual` requires. */
const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
