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
import { WindowCounter, type Window } from './windowCounter.ts';

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
