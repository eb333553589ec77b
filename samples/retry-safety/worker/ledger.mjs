import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { serve } from './serve.mjs';

/** Not safe: a retry appends the line again. */
await serve(async ({ input }, progress) => {
  await appendFile(path.join(process.env.LEDGER_DIR, 'ledger.csv'), `${input.customer},${input.cents}\n`);
  await progress({ percent: 100 });
  return { booked: input.cents };
});
