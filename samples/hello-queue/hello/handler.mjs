import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './serverless.mjs';

/**
 * Handles a job of this endpoint. The input is {"name": "world", "seconds": 3}. The input {"fail": true} makes the job fail.
 * The return value is the job's output, a thrown error is the job's error, and printed lines go to the worker's log.
 */
async function hello({ input }, { progress, signal }) {
  const { name = 'world', seconds = 1, fail = false } = input ?? {};
  console.log(`greeting ${name} for ${seconds} s`);

  for (let second = 1; second <= seconds; second++) {
    await sleep(1000, undefined, { signal });
    console.log(`second ${second} of ${seconds}`);
    await progress({ percent: Math.round((100 * second) / seconds) });
  }

  if (fail) throw new Error(`the input requested a failure while greeting ${name}`);
  return { greeting: `${process.env.GREETING ?? 'Hello'}, ${name}!` };
}

// Slow initialization, such as loading a model, belongs before the first request for a job. The worker is initializing until then.
const loadSeconds = Number(process.env.LOAD_SECONDS ?? 0);
console.log(`loading for ${loadSeconds} s`);
await sleep(loadSeconds * 1000);

await serve(hello);
