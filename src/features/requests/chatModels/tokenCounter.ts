import type { Clock } from '../../../client/clock.ts';
import type { TurnPart } from './model/chatTurn.ts';
import { countedText, IMAGE_TOKENS, MESSAGE_TOKENS, TokenEstimate } from './model/tokenEstimate.ts';

/** Asks a worker for the number of tokens of a text. Resolves with undefined if the worker has no tokenizer. */
export type AskWorker = (text: string) => Promise<number | undefined>;

/** Maximum number of remembered counts, and maximum length of a remembered text, in UTF-16 code units. */
const MAX_REMEMBERED = 500;
const MAX_TEXT = 20_000;
/** Maximum number of requests to a worker after an answer. */
const MAX_ASKED = 100;

interface Known {
  readonly estimate: TokenEstimate;
  readonly counts: Map<string, number>;
  /** Time until which the worker is likely to run, in ms since the epoch. */
  warmUntil: number;
  asked: number;
}

/**
 * Counts the tokens of messages. A count never starts a worker: it asks the worker only shortly after an answer, and estimates otherwise.
 * The editor counts often, so the counter remembers its results and limits the number of requests.
 */
export class TokenCounter {
  readonly #clock: Clock;
  readonly #models = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Records the usage of an answer.
   *
   * @param warmMs time for which the worker continues to run, in ms
   */
  answered(modelId: string, prompt: string, promptTokens: number | undefined, warmMs: number): void {
    const known = this.#of(modelId);
    if (promptTokens !== undefined) known.estimate.observe(prompt, promptTokens);
    known.warmUntil = this.#clock.now() + warmMs;
    known.asked = 0;
  }

  /** Counts the tokens of a text. */
  async ofText(modelId: string, text: string, ask: AskWorker): Promise<number> {
    const known = this.#of(modelId);
    const counted = known.counts.get(text);
    if (counted !== undefined) return counted;
    if (text.length > MAX_TEXT || known.asked >= MAX_ASKED || this.#clock.now() >= known.warmUntil)
      return known.estimate.of(text);
    known.asked++;
    const count = await ask(text).catch(() => undefined);
    if (count === undefined) {
      known.warmUntil = 0;
      return known.estimate.of(text);
    }
    known.counts.set(text, count);
    const [oldest] = known.counts.keys();
    if (known.counts.size > MAX_REMEMBERED && oldest !== undefined) known.counts.delete(oldest);
    return count;
  }

  /** Counts the tokens of a message. */
  async ofMessage(modelId: string, parts: readonly TurnPart[], ask: AskWorker): Promise<number> {
    const images = parts.filter(({ kind }) => kind === 'image').length;
    return (await this.ofText(modelId, countedText(parts), ask)) + MESSAGE_TOKENS + images * IMAGE_TOKENS;
  }

  #of(modelId: string): Known {
    let known = this.#models.get(modelId);
    if (!known) {
      known = { estimate: new TokenEstimate(), counts: new Map(), warmUntil: 0, asked: 0 };
      this.#models.set(modelId, known);
    }
    return known;
  }
}
