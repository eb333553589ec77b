import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './serverless.mjs';

/**
 * The function of this endpoint. Input: {"name": "world", "seconds": 3}; {"fail": true} makes it fail.
 * What it returns is the job's output, what it throws is the job's error, what it prints is in the worker's log.
 */
async function hello({ input }, { progress, signal }) {
  const { name = 'world', seconds = 1, fail = false } = input ?? {};
  console.log(`greeting ${name} for ${seconds} s`);

  for (let second = 1; second <= seconds; second++) {
    await sleep(1000, undefined, { signal });
    console.log(`second ${second} of ${seconds}`);
    await progress({ percent: Math.round((100 * second) / seconds) });
  }

  if (fail) throw new Error(`asked to fail while greeting ${name}`);
  return { greeting: `${process.env.GREETING ?? 'Hello'}, ${name}!` };
}

// What takes long at the start of a worker, such as loading a model, is done before it asks for jobs. It is initializing meanwhile.
const loadSeconds = Number(process.env.LOAD_SECONDS ?? 0);
console.log(`loading for ${loadSeconds} s`);
await sleep(loadSeconds * 1000);

await serve(hello);
