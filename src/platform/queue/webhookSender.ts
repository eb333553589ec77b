import type { Logger } from 'pino';
import { OWNER_ACCOUNT_ID } from '../domain/account.ts';
import type { DeliveryEvent } from '../domain/jobTraceEvent.ts';
import { PRIVATE_ADDRESS, type NameLookup } from '../http/publicRequest.ts';
import type { Clock } from '../time/clock.ts';
import { retryWhileFull } from '../store/fullDisk.ts';
import type { Store, WaitingWebhook } from '../store/store.ts';

/** Maximum number of attempts to deliver a webhook, as on the hosted service. */
const MAX_ATTEMPTS = 3;
/** Time between two attempts, in ms, as on the hosted service. */
export const PAUSE_MS = 10_000;
/** Maximum time for a receiver to respond, in ms. */
export const ANSWER_MS = 30_000;
/**
 * Maximum number of concurrent deliveries to one receiver, and of all concurrent deliveries that are not slow. Receivers that do not
 * respond therefore do not delay other deliveries.
 */
const CONCURRENCY = 8;
/** Time after which a delivery counts as slow, in ms. */
export const SLOW_MS = 1_000;

export interface WebhookSenderOptions {
  readonly store: Pick<Store, 'transaction' | 'webhooks' | 'traces'>;
  readonly clock: Clock;
  /** Has the same time as `clock`, but waits in real time, as the network requires. */
  readonly realClock: Clock;
  readonly log: Logger;
  /** Called when a webhook was dropped without a delivery. */
  readonly onFailed?: ((jobId: string, reason: string) => void) | undefined;
  /** Called after the commit of the outcome of a delivery. */
  readonly onRecorded?: ((webhook: WaitingWebhook, delivery: DeliveryEvent) => void) | undefined;
  /** Resolves the hosts of other accounts than the owner. Default: the lookup of the system. */
  readonly lookup?: NameLookup | undefined;
}

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

interface Failure {
  readonly reason: string;
  /** Whether another attempt would fail, too. */
  readonly isFinal: boolean;
}

/** A delivery in progress. */
interface ActiveDelivery {
  readonly receiver: string;
  slow: boolean;
  readonly ended: Promise<void>;
}

/**
 * Delivers the webhooks in the store, each at least once. If the platform stops during a delivery, it repeats the delivery after its next
 * start. Receivers of the owner may have any address, including private ones, because the platform runs on the owner's machine. Receivers of
 * other accounts must be on the public internet. Redirects are not followed. Any status other than 200 is a failure.
 */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #active = new Map<number, ActiveDelivery>();
  readonly #ending = new AbortController();
  /** Cancels the pauses after failed attempts, by webhook. */
  readonly #pauses = new Map<number, () => void>();
  /** Webhooks whose pause is over in real time, even if the clock of the platform is frozen. */
  readonly #rested = new Set<number>();
  #woken = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  /** Sends the webhooks that are due and schedules the next ones. Call it after the commit that adds a webhook. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    queueMicrotask(() => {
      this.#woken = false;
      this.#sendDue();
    });
  }

  /** Limits the due times of stored webhooks, because an adjusted clock may have set them far ahead. Call it before the first `wake`. */
  recover(): void {
    const { store, clock } = this.#options;
    store.webhooks.limitDueAt(clock.now() + PAUSE_MS);
  }

  /** Aborts the deliveries in progress. They stay in the store. */
  async close(): Promise<void> {
    this.#cancelTimer?.();
    for (const cancel of this.#pauses.values()) cancel();
    this.#ending.abort();
    await Promise.all([...this.#active.values()].map(({ ended }) => ended));
  }

  #sendDue(): void {
    this.#cancelTimer?.();
    if (this.#ending.signal.aborted) return;
    const { store, clock } = this.#options;
    while (this.#hasCapacity()) {
      const next = store.webhooks.next({ ids: [...this.#active.keys()], receivers: this.#busyReceivers() });
      if (!next) return;
      const wait = next.dueAt - clock.now();
      if (wait > 0 && !this.#rested.has(next.id)) {
        this.#cancelTimer = clock.after(wait, () => this.wake());
        return;
      }
      this.#begin(next);
    }
  }

  #hasCapacity(): boolean {
    const fast = [...this.#active.values()].filter(({ slow }) => !slow);
    return fast.length < CONCURRENCY;
  }

  #busyReceivers(): string[] {
    const byReceiver = Map.groupBy(this.#active.values(), ({ receiver }) => receiver);
    return [...byReceiver].flatMap(([receiver, { length }]) => (length < CONCURRENCY ? [] : receiver));
  }

  #begin(delivery: WaitingWebhook): void {
    const { id, receiver } = delivery;
    this.#pauses.get(id)?.();
    this.#pauses.delete(id);
    this.#rested.delete(id);
    const ended = this.#send(delivery).finally(() => {
      cancelTimer();
      this.#active.delete(id);
      this.wake();
    });
    const active = { receiver, slow: false, ended };
    const cancelTimer = this.#options.realClock.after(SLOW_MS, () => {
      active.slow = true;
      this.wake();
    });
    this.#active.set(id, active);
  }

  async #send(delivery: WaitingWebhook): Promise<void> {
    const { clock, realClock, log, onFailed } = this.#options;
    const { webhooks } = this.#options.store;
    const { id, jobId } = delivery;
    const startedAt = clock.now();
    const failure = await this.#post(delivery);
    const record = (action: () => void): Promise<void> => this.#record(delivery, { startedAt, failure }, action);
    if (failure === undefined) {
      await record(() => webhooks.delete(id));
      return;
    }
    if (this.#ending.signal.aborted) return;
    const attempt = delivery.attempts + 1;
    // The URL may contain a secret, so only its origin is logged.
    const { origin } = new URL(delivery.url);
    if (attempt < MAX_ATTEMPTS && !failure.isFinal) {
      log.info({ jobId, origin, attempt, failure: failure.reason }, 'webhook delivery failed; retrying');
      await record(() => webhooks.postpone(id, clock.now() + PAUSE_MS));
      const end = (): void => {
        this.#rested.add(id);
        this.wake();
      };
      this.#pauses.set(id, realClock.after(PAUSE_MS, end));
    } else {
      log.warn({ jobId, origin, attempt, failure: failure.reason }, 'webhook delivery failed; giving up');
      await record(() => webhooks.delete(id));
      onFailed?.(jobId, failure.reason);
    }
  }

  /** Stores the outcome of an attempt, together with a change of the webhook. */
  #record(
    webhook: WaitingWebhook,
    { startedAt, failure }: { readonly startedAt: number; readonly failure: Failure | undefined },
    change: () => void,
  ): Promise<void> {
    const { store, clock, onRecorded } = this.#options;
    const { jobId, receiver, attempts } = webhook;
    const attempt = { kind: 'webhook', startedAt, at: clock.now(), attempt: attempts + 1, origin: receiver } as const;
    const outcome = failure ? ({ outcome: 'failed', reason: failure.reason } as const) : ({ outcome: 'ok' } as const);
    return this.#store(() =>
      store.transaction((transaction) => {
        change();
        const delivery = { ...attempt, ...outcome };
        store.traces.addJobEvent(jobId, delivery);
        if (onRecorded) transaction.afterCommit(() => onRecorded(webhook, delivery));
      }),
    );
  }

  /** Runs the action, with retries while the disk is full. The delivery stays active until then, so it is not repeated. */
  async #store(action: () => void): Promise<void> {
    const { signal } = this.#ending;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = retryWhileFull(this.#options.realClock, () => {
      action();
      resolve();
    });
    const onEnd = (): void => {
      cancel();
      resolve();
    };
    signal.addEventListener('abort', onEnd);
    if (signal.aborted) onEnd();
    await promise;
    signal.removeEventListener('abort', onEnd);
  }

  /** Sends the webhook. Resolves with the failure, or with undefined on success. */
  async #post({ id, url, accountId }: WaitingWebhook): Promise<Failure | undefined> {
    const late = new AbortController();
    const cancelTimer = this.#options.realClock.after(ANSWER_MS, () => late.abort());
    try {
      const { address, headers } = target(url);
      const message = {
        headers: { 'Content-Type': 'application/json', ...headers },
        body: this.#options.store.webhooks.body(id),
        signal: AbortSignal.any([late.signal, this.#ending.signal]),
      };
      const status = await (accountId === OWNER_ACCOUNT_ID
        ? anyPost(address, message)
        : this.#publicPost(address, message));
      if (status === 200) return undefined;
      return { reason: `the receiver returned status ${status} instead of 200`, isFinal: false };
    } catch (error) {
      if (late.signal.aborted) return { reason: `the receiver did not respond within ${ANSWER_MS} ms`, isFinal: false };
      const { code, cause, message } = error as NodeJS.ErrnoException & { cause?: Partial<NodeJS.ErrnoException> };
      const reason = cause?.code ?? cause?.message ?? code ?? message;
      // Accounts read the reason, so it does not contain the addresses behind a name.
      const privateReason = `${message}, which only webhooks of the platform's owner may reach`;
      return code === PRIVATE_ADDRESS ? { reason: privateReason, isFinal: true } : { reason, isFinal: false };
    } finally {
      cancelTimer();
    }
  }

  /** Loaded on first use. The module loads TLS, which would slow down the start of the platform. */
  async #publicPost(address: URL, message: Message): Promise<number> {
    const { publicRequest } = await import('../http/publicRequest.ts');
    const response = await publicRequest(address, { ...message, method: 'POST', lookup: this.#options.lookup });
    response.destroy();
    return response.statusCode ?? 0;
  }
}

async function anyPost(address: URL, message: Message): Promise<number> {
  const response = await fetch(address, { ...message, method: 'POST', redirect: 'manual' });
  void response.body?.cancel();
  return response.status;
}

/** Moves the user name and password of a URL to an Authorization header, because `fetch` rejects URLs with credentials. */
function target(url: string): { address: URL; headers: Readonly<Record<string, string>> } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address, headers: {} };
  [address.username, address.password] = ['', ''];
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`);
  return { address, headers: { Authorization: `Basic ${credentials.toString('base64')}` } };
}

/** Decodes percent-encoding. Returns text with invalid encoding unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
