import type { TurnPart } from './chatTurn.ts';

/* Estimates of numbers of tokens, for workers that do not count them on request. */

/** Mean number of bytes of UTF-8 per token of common tokenizers. */
const BYTES_PER_TOKEN = 4;
/** Number of tokens that separate a message from others, with its role. */
export const MESSAGE_TOKENS = 4;
/** Typical number of tokens of an image. */
export const IMAGE_TOKENS = 1_000;

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
