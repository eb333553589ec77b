import type { Clock } from '../../../client/clock.ts';
import type { TurnPart } from './model/requestBody.ts';

/* Estimates of numbers of tokens, for workers that do not count them on request. */

/** Mean number of bytes of UTF-8 per token of common tokenizers. */
const BYTES_PER_TOKEN = 4;
/** Number of tokens that separate a message from others, with its role. */
const MESSAGE_TOKENS = 4;
/** Typical number of tokens of an image. */
const IMAGE_TOKENS = 1_000;

/** Bounds of a learned mean. A worker can report any usage. */
const MEAN_BOUNDS = [1, 12] as const;
/** Weight of a new observation in the mean. */
const WEIGHT = 0.3;
/** Minimum size of an observed prompt, in bytes. Shorter prompts consist mostly of the template of the model. */
const MIN_OBSERVED_BYTES = 400;

/** Estimates tokens by bytes. Learns from the usage that workers report. */
export class TokenEstimate {
  #bytesPerToken = BYTES_PER_TOKEN;

  /** Returns the estimate for a text. */
  of(text: string): number {
    return Math.ceil(Buffer.byteLength(text) / this.#bytesPerToken);
  }

  /** Records the number of tokens that a worker counted in a prompt. */
  observe(prompt: string, tokens: number): void {
    const bytes = Buffer.byteLength(prompt);
    if (bytes < MIN_OBSERVED_BYTES || tokens < 1) return;
    const [least, most] = MEAN_BOUNDS;
    const seen = Math.min(most, Math.max(least, bytes / tokens));
    this.#bytesPerToken += (seen - this.#bytesPerToken) * WEIGHT;
  }
}

/** Returns the text of a message whose tokens count, including tool calls and their results. */
export function countedText(parts: readonly TurnPart[]): string {
  return parts
    .map((part) => {
      switch (part.kind) {
        case 'text':
        case 'toolResult':
          return part.text;
        case 'toolCall':
          return `${part.name}${JSON.stringify(part.input)}`;
        case 'image':
          return '';
      }
    })
    .join('');
}

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
