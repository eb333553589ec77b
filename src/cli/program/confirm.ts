import { CannotRunError } from './exitCodes.ts';
import type { Surroundings } from './surroundings.ts';

/** Asks a yes-or-no question. Any answer but yes is a no. @throws CannotRunError if there is no terminal to ask on */
export async function confirm(question: string, { ask }: Pick<Surroundings, 'ask'>): Promise<boolean> {
  if (!ask) throw new CannotRunError('--yes is required, because there is no terminal to ask on');
  return /^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim());
}
