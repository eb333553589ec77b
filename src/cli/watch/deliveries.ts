import { systemClock } from '../../client/clock.ts';
import type { AlertNotice } from '../../contract/alerts.ts';
import { postNotice, type Undelivered } from '../../features/alerts/actions/postNotice.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

/** A receiver of notices. */
export interface Receiver {
  readonly url: string;
  /** The part of the address that contains no secret. */
  readonly origin: string;
}

/** Returns the receiver at an address. @throws CannotRunError if it is not one of HTTP; the error does not contain it */
export function receiverOf(url: string): Receiver {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
    throw new CannotRunError(
      '--webhook needs an address that starts with https:// or http://, without a user name',
      EXIT_CODES.usage,
    );
  return { url, origin: parsed.origin };
}

/** Posts notices in their order. A notice that cannot be delivered is dropped after the last try, and reported. */
export class Deliveries {
  readonly #receiver: Receiver;
  readonly #surroundings: Pick<Surroundings, 'tell' | 'signal'>;
  #last: Promise<void> = Promise.resolve();

  constructor(receiver: Receiver, surroundings: Pick<Surroundings, 'tell' | 'signal'>) {
    this.#receiver = receiver;
    this.#surroundings = surroundings;
  }

  add(notice: AlertNotice): void {
    this.#last = this.#last.then(() => this.#deliver(notice)).catch(() => undefined);
  }

  /** Resolves once all notices are delivered or dropped. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #deliver(notice: AlertNotice): Promise<void> {
    const { url, origin } = this.#receiver;
    const { tell, signal } = this.#surroundings;
    const failure = await postNotice(url, notice, {
      ...{ fetch: globalThis.fetch, clock: systemClock, random: Math.random, signal },
      onRetry: (reason) => tell(`${origin} ${wordsOf(reason)}; trying again`),
    });
    if (failure) tell(`${origin} ${wordsOf(failure)}: ${notice.id} is not delivered`);
  }
}

function wordsOf(reason: Undelivered): string {
  return reason.kind === 'status' ? `returned status ${reason.status}` : 'cannot be reached';
}
