import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';
import { retryWhileFull } from '../store/fullDisk.ts';
import type { WaitingWebhook, WebhookStore } from '../store/webhookStore.ts';

/** A webhook is tried this often (facts, section 4d). */
export const MAX_ATTEMPTS = 3;
/** Pause between two attempts, in ms. */
export const PAUSE_MS = 10_000;
/** Time a receiver has to answer, in ms. */
export const ANSWER_MS = 30_000;
/** Deliveries at a time to one receiver; and of all that are not slow, so that receivers that hang do not hold up others. */
const CONCURRENCY = 8;
/** A delivery is slow when it takes longer than that, in ms. */
export const SLOW_MS = 1_000;

export interface WebhookSenderOptions {
  readonly store: WebhookStore;
  readonly clock: Clock;
  /** Tells the same time, and waits in real time: for the network. */
  readonly realWaits: Clock;
  readonly log: Logger;
}

/** A delivery that is being made. */
interface Underway {
  readonly receiver: string;
  slow: boolean;
  readonly ended: Promise<void>;
}

/**
 * Delivers what the store has for webhooks, at least once each: a delivery that the end of the platform interrupts is made again at
 * its next start. Receivers may be on any address, private ones too, as it is the developer's own machine; redirects are not
 * followed, and anything but status 200 counts as failed.
 */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #underway = new Map<number, Underway>();
  readonly #ending = new AbortController();
  #woken = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  /**
   * Sends what is due, and comes back when the next is. To be called after the commit that adds a webhook.
   */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    queueMicrotask(() => {
      this.#woken = false;
      this.#sendDue();
    });
  }

  /** To be called before the first wake: what a clock dated that was ahead of this one waits no longer than any other. */
  recover(): void {
    const { store, clock } = this.#options;
    store.limitDueAt(clock.now() + PAUSE_MS);
  }

  /** Breaks off what is underway: it stays in the store. */
  async close(): Promise<void> {
    this.#cancelTimer?.();
    this.#ending.abort();
    await Promise.all([...this.#underway.values()].map(({ ended }) => ended));
  }

  #sendDue(): void {
    this.#cancelTimer?.();
    if (this.#ending.signal.aborted) return;
    const { store, clock } = this.#options;
    while (this.#hasPlace()) {
      const next = store.next({ ids: [...this.#underway.keys()], receivers: this.#busyReceivers() });
      if (!next) return;
      const wait = next.dueAt - clock.now();
      if (wait > 0) {
        this.#cancelTimer = clock.after(wait, () => this.wake());
        return;
      }
      this.#begin(next);
    }
  }

  #hasPlace(): boolean {
    const young = [...this.#underway.values()].filter(({ slow }) => !slow);
    return young.length < CONCURRENCY;
  }

  #busyReceivers(): string[] {
    const byReceiver = Map.groupBy(this.#underway.values(), ({ receiver }) => receiver);
    return [...byReceiver].flatMap(([receiver, { length }]) => (length < CONCURRENCY ? [] : receiver));
  }

  #begin(delivery: WaitingWebhook): void {
    const { id, receiver } = delivery;
    const ended = this.#send(delivery).finally(() => {
      cancelTimer();
      this.#underway.delete(id);
      this.wake();
    });
    const underway = { receiver, slow: false, ended };
    const cancelTimer = this.#options.realWaits.after(SLOW_MS, () => {
      underway.slow = true;
      this.wake();
    });
    this.#underway.set(id, underway);
  }

  async #send(delivery: WaitingWebhook): Promise<void> {
    const { store, clock, log } = this.#options;
    const { id, jobId } = delivery;
    const failure = await this.#post(delivery);
    if (failure === undefined) {
      await this.#stored(() => store.delete(id));
      return;
    }
    if (this.#ending.signal.aborted) return;
    const attempt = delivery.attempts + 1;
    // Its address may hold a secret, so no more than its origin is told.
    const { origin } = new URL(delivery.url);
    if (attempt < MAX_ATTEMPTS) {
      log.info({ jobId, origin, attempt, failure }, 'webhook failed and is tried again');
      await this.#stored(() => store.postpone(id, clock.now() + PAUSE_MS));
    } else {
      log.warn({ jobId, origin, attempt, failure }, 'webhook failed and is given up');
      await this.#stored(() => store.delete(id));
    }
  }

  /** Done as soon as there is room on the disk: until then the delivery is not made again. */
  async #stored(action: () => void): Promise<void> {
    const { signal } = this.#ending;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = retryWhileFull(this.#options.realWaits, () => {
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

  /** Why it failed, or undefined when it did not. */
  async #post({ id, url }: WaitingWebhook): Promise<string | undefined> {
    const late = new AbortController();
    const cancelTimer = this.#options.realWaits.after(ANSWER_MS, () => late.abort());
    try {
      const { address, headers } = target(url);
      const body = this.#options.store.body(id);
      const response = await fetch(address, {
        ...{ method: 'POST', body, redirect: 'manual', headers: { 'Content-Type': 'application/json', ...headers } },
        signal: AbortSignal.any([late.signal, this.#ending.signal]),
      });
      void response.body?.cancel();
      return response.status === 200 ? undefined : `it was answered with status ${response.status} instead of 200`;
    } catch (error) {
      if (late.signal.aborted) return `it was not answered within ${ANSWER_MS} ms`;
      const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
      return cause?.code ?? cause?.message ?? message;
    } finally {
      cancelTimer();
    }
  }
}

/** A user name and password in an address are sent the way HTTP has for them: `fetch` refuses them where they are. */
function target(url: string): { address: URL; headers: Readonly<Record<string, string>> } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address, headers: {} };
  [address.username, address.password] = ['', ''];
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`);
  return { address, headers: { Authorization: `Basic ${credentials.toString('base64')}` } };
}

/** What is no valid encoding is meant as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
