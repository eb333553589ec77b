import { serializeList } from 'structured-headers';
import type { Operation } from '../../contract/operation.ts';
import {
  QUEUE_LIMIT_SECONDS,
  RATE_LIMIT_HEADER,
  RATE_LIMIT_PARAMETERS,
  RATE_LIMIT_POLICY_HEADER,
  RATE_LIMIT_WINDOWS,
  RETRY_AFTER_HEADER,
  SAMPLE_QUOTAS,
  type Quotas,
  type RateLimitWindowName,
} from '../../contract/rateLimit.ts';
import type { Clock } from '../clock.ts';
import type { Caller } from '../domain/account.ts';
import { Refusal } from '../domain/refusal.ts';
import { WindowCounter, type Window, type WindowReading } from './windowCounter.ts';

export interface RateLimitOptions {
  /** Of every user whose account says nothing else. Left out: those of the documented sample. */
  readonly quotas?: Quotas | undefined;
  /** Also for the key that the platform was started with, which is exempt otherwise. */
  readonly limitOwner?: boolean | undefined;
}

type HeaderFields = Readonly<Record<string, string>>;

const WINDOW_NAMES = Object.keys(RATE_LIMIT_WINDOWS) as RateLimitWindowName[];

/** How often callers may ask (interface document, Limits; facts, sections 4e and 7). */
export class RateLimits {
  readonly #clock: Clock;
  readonly #quotas: Quotas;
  readonly #limitOwner: boolean;
  readonly #counter = new WindowCounter();
  readonly #atOnce = new Map<string, number>();
  readonly #windows = new WeakMap<Quotas, readonly Window[]>();

  constructor(clock: Clock, { quotas = SAMPLE_QUOTAS, limitOwner = false }: RateLimitOptions = {}) {
    this.#clock = clock;
    this.#quotas = quotas;
    this.#limitOwner = limitOwner;
  }

  /**
   * Counts a request to the management plane.
   *
   * @returns the headers of its answer; undefined for callers that are exempt
   * @throws Refusal 429
   */
  count(caller: Caller): HeaderFields | undefined {
    const quotas = this.#quotasOf(caller);
    if (!quotas) return undefined;
    const { windows, exceeded } = this.#counter.take(caller.countedAs, this.#windowsOf(quotas), this.#clock.now());
    const headers = {
      [RATE_LIMIT_HEADER]: list(windows, ({ remaining, resetSeconds }) => ({ remaining, resetSeconds })),
      [RATE_LIMIT_POLICY_HEADER]: list(windows, ({ quota, seconds }) => ({ quota, windowSeconds: seconds })),
    };
    if (!exceeded) return headers;
    throw tooMany(`rate limit exceeded for the ${exceeded.name} window`, exceeded.resetSeconds, headers);
  }

  /**
   * Counts a call of an endpoint's queue, of which each user may make so many in ten seconds, and so many at once.
   *
   * @returns what is to be called when it has been answered, for operations that are limited
   * @throws Refusal 429
   */
  enter(caller: Caller, { limit, path }: Operation, endpointId: string): (() => void) | undefined {
    if (!limit || !this.#quotasOf(caller)) return undefined;
    const subject = `${caller.countedAs} ${endpointId} ${path}`;
    const running = this.#atOnce.get(subject) ?? 0;
    if (limit.atOnce !== undefined && running >= limit.atOnce) {
      throw tooMany(`rate limit exceeded: more than ${limit.atOnce} of these requests at once`, 1);
    }
    const window = { name: 'ten seconds', seconds: QUEUE_LIMIT_SECONDS, quota: limit.requests };
    const { exceeded } = this.#counter.take(subject, [window], this.#clock.now());
    if (exceeded) {
      const detail = `rate limit exceeded: more than ${limit.requests} of these requests in ${QUEUE_LIMIT_SECONDS} s`;
      throw tooMany(detail, exceeded.resetSeconds);
    }
    this.#atOnce.set(subject, running + 1);
    return () => {
      const left = (this.#atOnce.get(subject) ?? 1) - 1;
      if (left > 0) this.#atOnce.set(subject, left);
      else this.#atOnce.delete(subject);
    };
  }

  #quotasOf({ isPlatformOwner, quotas = this.#quotas }: Caller): Quotas | undefined {
    return quotas === 'unlimited' || (isPlatformOwner && !this.#limitOwner) ? undefined : quotas;
  }

  #windowsOf(quotas: Quotas): readonly Window[] {
    let windows = this.#windows.get(quotas);
    if (!windows) {
      windows = WINDOW_NAMES.map((name) => ({ name, seconds: RATE_LIMIT_WINDOWS[name], quota: quotas[name] }));
      this.#windows.set(quotas, windows);
    }
    return windows;
  }
}

type Parameter = keyof typeof RATE_LIMIT_PARAMETERS;

/** A structured-field list of the windows, each with these parameters. */
function list(
  windows: readonly WindowReading[],
  parameters: (window: WindowReading) => Partial<Record<Parameter, number>>,
): string {
  return serializeList(
    windows.map((window) => [
      window.name,
      new Map(
        Object.entries(parameters(window)).map(([name, value]) => [RATE_LIMIT_PARAMETERS[name as Parameter], value]),
      ),
    ]),
  );
}

function tooMany(detail: string, seconds: number, headers: HeaderFields = {}): Refusal {
  return new Refusal(429, detail, [], { ...headers, [RETRY_AFTER_HEADER]: String(seconds) });
}
