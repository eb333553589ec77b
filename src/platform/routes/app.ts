import type { RateLimits } from '../accounts/rateLimits.ts';
import type { Caller } from '../domain/account.ts';
import type { App as HttpApp } from '../http/app.ts';
import type { WatchAccess } from './whileAdmitted.ts';

/** Who calls, and how often they may. */
export interface Admission {
  readonly caller: Caller;
  readonly limits: RateLimits;
  /** Watches the caller's access, for long-lived responses. */
  readonly watch: WatchAccess;
}

/** The routes of the interface. Those that are open to everyone, or have secrets of their own, are not told who calls. */
export type App = HttpApp<Admission | undefined>;
