import type { RateLimits } from '../accounts/rateLimits.ts';
import type { Caller } from '../domain/account.ts';
import type { App as HttpApp } from '../http/app.ts';
import type { WatchAccess } from './whileAdmitted.ts';

/** The caller of an authenticated request, and the rate limits. */
export interface Admission {
  readonly caller: Caller;
  readonly limits: RateLimits;
  /** Watches the caller's access, for long-lived responses. */
  readonly watch: WatchAccess;
}

/** The routes of the interface. Routes without authentication, and routes with their own secrets, receive no admission. */
export type App = HttpApp<Admission | undefined>;
