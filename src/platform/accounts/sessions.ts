import type * as Jose from './jose.ts';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../secrets/privateFiles.ts';

/*
 * Console sessions are JWTs that only this platform can sign, because its secret never leaves its data directory. The library is loaded
 * with the first session, because most platforms have no sessions.
 */

const ALGORITHM = 'HS256';
const ISSUER = 'urn:cloud-compute:local-platform';
const AUDIENCE = 'console';

export interface Session {
  readonly userId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const looksSigned = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

export class SessionSigner {
  #secret: Uint8Array;
  readonly #newSecret: () => Promise<Uint8Array>;
  #jose: Promise<typeof Jose> | undefined;

  /** @param newSecret creates and stores a new secret */
  constructor(secret: Uint8Array, newSecret: () => Promise<Uint8Array> = () => sessionSecret(undefined)) {
    this.#secret = secret;
    this.#newSecret = newSecret;
  }

  /** Ends all sessions. @throws the error of `newSecret`; sessions then stay valid */
  async endAll(): Promise<void> {
    this.#secret = await this.#newSecret();
  }

  /** Signs a session. JWTs count whole seconds, so `expiresAt` is rounded down. */
  async sign({ userId, expiresAt }: Session, now: number): Promise<{ token: string; expiresAt: number }> {
    const { SignJWT } = await this.#library();
    const end = Math.floor(expiresAt / 1000);
    const token = await new SignJWT()
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setSubject(userId)
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(Math.floor(now / 1000))
      .setExpirationTime(end)
      .sign(this.#secret);
    return { token, expiresAt: end * 1000 };
  }

  /** Returns the session in a token, even an expired one; undefined if this platform did not sign the token. */
  verify(token: string): Promise<Session | undefined> | undefined {
    return looksSigned(token) ? this.#verified(token) : undefined;
  }

  async #verified(token: string): Promise<Session | undefined> {
    const { jwtVerify, errors } = await this.#library();
    try {
      const { payload } = await jwtVerify(token, this.#secret, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'exp'],
        // Disables the expiry check of the library: the caller compares with the platform's own clock.
        currentDate: new Date(0),
      });
      return { userId: payload.sub ?? '', expiresAt: (payload.exp ?? 0) * 1000 };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  #library(): Promise<typeof Jose> {
    return (this.#jose ??= import('./jose.ts'));
  }
}

const FILE = 'session.key';
const BYTES = 32;

/**
 * Returns the secret that signs sessions. It is created once per data directory, in a file that only the user of the platform can read.
 * The database does not contain it, so a copy of the data does not let anyone sign in. Without a directory, the secret is in memory only,
 * and sessions end when the platform stops.
 *
 * @throws the file system's error
 */
export async function sessionSecret(directory: string | undefined): Promise<Uint8Array> {
  if (directory === undefined) return randomBytes(BYTES);
  const kept = await readFile(join(directory, FILE)).catch(() => undefined);
  return kept?.byteLength === BYTES ? kept : newSessionSecret(directory);
}

/** Replaces the secret, which invalidates all existing sessions. @throws the file system's error */
export async function newSessionSecret(directory: string | undefined): Promise<Uint8Array> {
  const fresh = randomBytes(BYTES);
  if (directory !== undefined) await writeFile(join(directory, FILE), fresh, { mode: PRIVATE_FILE, flush: true });
  return fresh;
}
