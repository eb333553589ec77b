import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Ask } from './surroundings.ts';

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
