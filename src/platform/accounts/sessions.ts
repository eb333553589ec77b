import type * as Jose from 'jose';
import { sessionSecret } from './sessionSecret.ts';

/*
 * Console sessions: JWTs that only this platform can sign, as its secret never leaves its data directory. The library is loaded with the
 * first session: most platforms never see one.
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

  /** @param newSecret creates another secret and stores it in place of this one */
  constructor(secret: Uint8Array, newSecret: () => Promise<Uint8Array> = () => sessionSecret(undefined)) {
    this.#secret = secret;
    this.#newSecret = newSecret;
  }

  /** Ends all sessions. @throws the error of `newSecret`; sessions then stay valid */
  async endAll(): Promise<void> {
    this.#secret = await this.#newSecret();
  }

  /** JWTs tell times in whole seconds: the session ends at the last one before the moment asked for. */
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

  /** What the token says, also when its time is over; undefined for one that is not of this platform's making. */
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
        // Whether it has expired is the caller's to say, by the platform's own clock.
        currentDate: new Date(0),
      });
      return { userId: payload.sub ?? '', expiresAt: (payload.exp ?? 0) * 1000 };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  #library(): Promise<typeof Jose> {
    return (this.#jose ??= import('jose'));
  }
}
