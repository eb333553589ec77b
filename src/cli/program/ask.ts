import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Ask, Surroundings } from './surroundings.ts';
import { CannotRunError } from './exitCodes.ts';

/** Returns the function that asks a person. Undefined if there is no terminal to ask on. */
export function askOnTerminal(signal: AbortSignal): Ask | undefined {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return async (question, { hidden = false } = {}) => {
    let isShown = true;
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (isShown) stderr.write(chunk);
        done();
      },
    });
    const lines = createInterface({ input: stdin, output, terminal: true });
    try {
      const answer = lines.question(question, { signal });
      isShown = !hidden;
      return await answer;
    } finally {
      lines.close();
      if (hidden) stderr.write('\n');
    }
  };
}

/** Asks a yes-or-no question. Any answer but yes is a no. @throws CannotRunError if there is no terminal to ask on */
export async function confirm(question: string, { ask }: Pick<Surroundings, 'ask'>): Promise<boolean> {
  if (!ask) throw new CannotRunError('--yes is required, because there is no terminal to ask on');
  return /^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim());
}
