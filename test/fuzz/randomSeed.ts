import { randomInt } from 'node:crypto';
import process from 'node:process';

/* `npm run test:fuzz` uses another seed in each run and prints it, unless the variable sets one. Mocha loads this file before the seed. */

const SEED_VARIABLE = 'CLOUD_COMPUTE_SEED';
if (process.env[SEED_VARIABLE] === undefined) {
  const seed = String(randomInt(2 ** 31));
  process.env[SEED_VARIABLE] = seed;
  process.stdout.write(`${SEED_VARIABLE}=${seed}\n`);
}
