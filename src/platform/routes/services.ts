import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Authenticator } from '../accounts/authenticator.ts';
import type { Bills } from '../resources/bills.ts';
import type { BodyThread } from '../http/bodyThread.ts';
import type { Clock } from '../time/clock.ts';
import type { ImageModel } from '../images/imageModel.ts';
import type { Engine } from '../endpoints/engine.ts';
import type { Resources } from '../resources/resources.ts';
import type { RateLimits } from '../accounts/rateLimits.ts';
import type { Caller } from '../domain/account.ts';
import type { SpanSink } from '../domain/traceContext.ts';
import type { App as HttpApp } from '../http/app.ts';

export type PlatformAddresses = Pick<
  PlatformAnnouncement,
  'baseUrl' | 'restUrl' | 'queueUrl' | 'endpointHost' | 's3Url'
>;

/** Services that route handlers use. */
export interface Services {
  readonly engine: Engine;
  readonly images: ImageModel;
  readonly accounts: Accounts;
  readonly authenticator: Authenticator;
  readonly bills: Bills;
  readonly bodies: BodyThread;
  readonly resources: Resources;
  readonly clock: Clock;
  /** Has the same time as `clock` but waits in real time, even while `clock` is frozen. */
  readonly realClock: Clock;
  /** Exports traces. Undefined: nothing does. */
  readonly spans: SpanSink | undefined;
  /** Returns the addresses. They are valid once the platform listens. */
  readonly addresses: () => PlatformAddresses;
}

/** Calls back once, when the caller loses access. @returns a function that unsubscribes */
export type WatchAccess = (onEnd: () => void) => () => void;

/** The caller of an authenticated request, and the rate limits. */
export interface Admission {
  readonly caller: Caller;
  readonly limits: RateLimits;
  /** Watches the caller's access, for long-lived responses. */
  readonly watch: WatchAccess;
}

/** The routes of the interface. Routes without authentication, and routes with their own secrets, receive no admission. */
export type App = HttpApp<Admission | undefined>;
