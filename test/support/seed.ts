import process from 'node:process';
import * as fc from 'fast-check';

/** Environment variable with the seed of the random values in tests: an integer, or `random` for another seed in each process. */
export const SEED_VARIABLE = 'CLOUD_COMPUTE_SEED';
const DEFAULT_SEED = 20_261_121;

/** Returns the seed for a value of the environment variable. Throws if the value is neither an integer nor `random`. */
export function seedFrom(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_SEED;
  if (text === 'random') return Math.floor(Math.random() * 2 ** 31);
  if (/^-?\d+$/.test(text)) return Number(text);
  throw new Error(`${SEED_VARIABLE} must be an integer or "random", but is "${text}".`);
}

/** Seed of the random values in the tests of this process. It is fixed by default, so that a change of the code causes each failure. */
export const seed = seedFrom(process.env[SEED_VARIABLE]);

/** Resolves with the result of a test that uses `seed`. Adds the seed to the message of an error. */
export async function withSeed<T>(test: () => Promise<T>): Promise<T> {
  try {
    return await test();
  } catch (error) {
    throw new Error(`with ${SEED_VARIABLE}=${seed}: ${(error as Error).message}`, { cause: error });
  }
}

// fast-check adds the seed to the message of a failed property.
fc.configureGlobal({ seed });
