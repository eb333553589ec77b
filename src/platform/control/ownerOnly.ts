import { hash, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../domain/refusal.ts';
import type { Middleware } from '../routes/app.ts';

/** The control API is for the owner's key alone, whoever else has keys to the platform. */
export function ownerOnly(apiKey: string): Middleware {
  const expected = digest(apiKey);
  return async (context, next) => {
    const token = /^Bearer +(.*)$/i.exec(context.env.incoming.headers.authorization?.trim() ?? '')?.[1];
    if (token === undefined || token === '') throw new Refusal(401, 'missing bearer token');
    if (!timingSafeEqual(digest(token), expected)) throw new Refusal(401, "this needs the owner's key");
    await next();
  };
}

/** Of equal length whatever the key, so that the comparison takes the same time for every guess. */
const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
