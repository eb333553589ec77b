import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { serve } from './serve.mjs';

/** Safe: the payment service recognizes the charge by its key, and a complete file takes the place of an earlier one. */
await serve(async ({ id: jobId, input }, progress) => {
  const response = await fetch(`${process.env.PAYMENTS_URL}/charges`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': jobId },
    body: JSON.stringify({ customer: input.customer, cents: input.cents }),
  });
  const { id } = await response.json();
  await progress({ percent: 50 });
  const directory = process.env.RECEIPTS_DIR;
  await mkdir(directory, { recursive: true });
  const temporary = path.join(directory, `.${jobId}.${process.pid}`);
  await writeFile(temporary, JSON.stringify({ charge: id, customer: input.customer }));
  await rename(temporary, path.join(directory, `${jobId}.json`));
  return { charge: id };
});
