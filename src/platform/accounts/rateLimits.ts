import { serializeList } from 'structured-headers';
import type { Operation } from '../../contract/operation.ts';
import {
  INVOCATION_QUOTAS,
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
import type { Clock } from '../time/clock.ts';
import type { Caller } from '../domain/account.ts';
import { Refusal } from '../domain/refusal.ts';

export interface RateLimitOptions {
  /** Quotas for management requests, for users whose account sets none. Default: the documented sample quotas. */
  readonly quotas?: Quotas | undefined;
  /** Quotas for invocations, for users whose account sets none. Default: `INVOCATION_QUOTAS`. */
  readonly invocationQuotas?: Quotas | undefined;
  /** Whether the limits apply to the owner's key too. Default: false. */
  readonly limitOwner?: boolean | undefined;
}

export type HeaderFields = Readonly<Record<string, string>>;

/** A group of operations. Each plane counts its requests separately. */
export type Plane = 'management' | 'invocations';

const WINDOW_NAMES = Object.keys(RATE_LIMIT_WINDOWS) as RateLimitWindowName[];

/** Limits the requests of each user (docs/platform-options.md, "Rate limits"). */
export class RateLimits {
  readonly #clock: Clock;
  readonly #quotas: Readonly<Record<Plane, Quotas>>;
  readonly #limitOwner: boolean;
  readonly #counters = { management: new WindowCounter(), invocations: new WindowCounter() };
  readonly #operations = new WindowCounter();
  readonly #running = new Map<string, number>();
  readonly #policies = new WeakMap<Quotas, Policy>();

  constructor(clock: Clock, { quotas, invocationQuotas, limitOwner = false }: RateLimitOptions = {}) {
    this.#clock = clock;
    this.#quotas = { management: quotas ?? SAMPLE_QUOTAS, invocations: invocationQuotas ?? INVOCATION_QUOTAS };
    this.#limitOwner = limitOwner;
  }

  /**
   * Counts a request.
   *
   * @returns the headers of the response; undefined for exempt callers
   * @throws Refusal 429
   */
  count(caller: Caller, plane: Plane): HeaderFields | undefined {
    const quotas = this.#quotasOf(caller, plane);
    if (!quotas) return undefined;
    const policy = this.#policyOf(quotas);
    const { windows, exceeded } = this.#counters[plane].take(caller.countedAs, policy.windows, this.#clock.now());
    const headers = {
      [RATE_LIMIT_HEADER]: list(windows, ({ remaining, resetSeconds }) => ({ remaining, resetSeconds })),
      [RATE_LIMIT_POLICY_HEADER]: policy.text,
    };
    if (!exceeded) return headers;
    throw tooMany(`rate limit exceeded for the ${exceeded.name} window`, exceeded.resetSeconds, headers);
  }

  /**
   * Counts a call to an endpoint's queue. Queue operations limit the calls of each user per ten seconds, and the concurrent calls.
   *
   * @returns a function to call after the response; undefined for operations without a limit and for exempt callers
   * @throws Refusal 429
   */
  enter(caller: Caller, { limit, path }: Operation, endpointId: string): (() => void) | undefined {
    if (!limit || !this.#quotasOf(caller, 'invocations')) return undefined;
    const subject = `${caller.countedAs} ${endpointId} ${path}`;
    const running = this.#running.get(subject) ?? 0;
    if (limit.atOnce !== undefined && running >= limit.atOnce) {
      throw tooMany(`rate limit exceeded: more than ${limit.atOnce} of these requests at once`, 1);
    }
    const window = { name: 'ten seconds', seconds: QUEUE_LIMIT_SECONDS, quota: limit.requests };
    const { exceeded } = this.#operations.take(subject, [window], this.#clock.now());
    if (exceeded) {
      const detail = `rate limit exceeded: more than ${limit.requests} of these requests in ${QUEUE_LIMIT_SECONDS} s`;
      throw tooMany(detail, exceeded.resetSeconds);
    }
    this.#running.set(subject, running + 1);
    return () => {
      const left = (this.#running.get(subject) ?? 1) - 1;
      if (left > 0) this.#running.set(subject, left);
      else this.#running.delete(subject);
    };
  }

  #quotasOf({ isPlatformOwner, quotas, invocationQuotas }: Caller, plane: Plane): Quotas | undefined {
    if (isPlatformOwner && !this.#limitOwner) return undefined;
    const granted = (plane === 'management' ? quotas : invocationQuotas) ?? this.#quotas[plane];
    return granted === 'unlimited' ? undefined : granted;
  }

  #policyOf(quotas: Quotas): Policy {
    let policy = this.#policies.get(quotas);
    if (!policy) {
      const windows = WINDOW_NAMES.map((name) => ({ name, seconds: RATE_LIMIT_WINDOWS[name], quota: quotas[name] }));
      const text = list(windows, ({ quota, seconds }) => ({ quota, windowSeconds: seconds }));
      policy = { windows, text };
      this.#policies.set(quotas, policy);
    }
    return policy;
  }
}

/** The windows of a set of quotas, and the policy header that describes them. */
interface Policy {
  readonly windows: readonly Window[];
  readonly text: string;
}

type Parameter = keyof typeof RATE_LIMIT_PARAMETERS;

/** Serializes the windows, each with its parameters, as a structured-field list (RFC 9651). */
function list<Of extends Window>(
  windows: readonly Of[],
  parameters: (window: Of) => Partial<Record<Parameter, number>>,
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

/** A period with a maximum number of requests. */
interface Window {
  readonly name: string;
  readonly seconds: number;
  readonly quota: number;
}

interface WindowReading extends Window {
  readonly remaining: number;
  /** Seconds until the window resets, at least 1. */
  readonly resetSeconds: number;
}

interface Reading {
  readonly windows: readonly WindowReading[];
  /** The exhausted window that resets last, if any. The request is then neither granted nor counted. */
  readonly exceeded: WindowReading | undefined;
}

interface Count {
  readonly seconds: number;
  /** Number of whole windows since the epoch. Windows therefore begin with the minute, hour, or day in UTC. */
  index: number;
  used: number;
}

/** Number of subjects at which subjects with expired windows are removed. */
const MAX_SUBJECTS = 10_000;

const indexOf = (seconds: number, now: number): number => Math.floor(now / (seconds * 1000));

/**
 * Counts requests in fixed windows. The caller passes the time, so that a frozen or advanced clock also applies to the windows. Counting
 * is synchronous, so concurrent requests cannot exceed a quota. The counts are in memory only.
 */
export class WindowCounter {
  readonly #counts = new Map<string, Count[]>();

  get size(): number {
    return this.#counts.size;
  }

  take(subject: string, windows: readonly Window[], now: number): Reading {
    const counts = this.#countsOf(subject, windows, now);
    const isEmpty = ({ quota }: Window, index: number): boolean => (counts[index]?.used ?? 0) >= quota;
    const granted = !windows.some(isEmpty);
    if (granted) for (const count of counts) count.used++;
    const readings = windows.map((window, index) => reading(window, counts[index]?.used ?? 0, now));
    // Windows are ordered by length, so the last one resets last.
    return { windows: readings, exceeded: granted ? undefined : readings.findLast(isEmpty) };
  }

  #countsOf(subject: string, windows: readonly Window[], now: number): Count[] {
    let counts = this.#counts.get(subject);
    if (!counts) {
      if (this.#counts.size >= MAX_SUBJECTS) this.#removeExpired(now);
      counts = windows.map(({ seconds }) => ({ seconds, index: indexOf(seconds, now), used: 0 }));
      this.#counts.set(subject, counts);
    }
    for (const count of counts) {
      const index = indexOf(count.seconds, now);
      if (count.index !== index) Object.assign(count, { index, used: 0 });
    }
    return counts;
  }

  #removeExpired(now: number): void {
    for (const [subject, counts] of this.#counts) {
      if (counts.every(({ seconds, index }) => index !== indexOf(seconds, now))) this.#counts.delete(subject);
    }
  }
}

function reading(window: Window, used: number, now: number): WindowReading {
  const length = window.seconds * 1000;
  const resetSeconds = Math.ceil((length - (now % length)) / 1000);
  return { ...window, remaining: Math.max(0, window.quota - used), resetSeconds };
}
