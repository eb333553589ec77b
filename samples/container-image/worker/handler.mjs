import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './serverless.mjs';

/**
 * Handles a job of this endpoint. The input is {"name": "world", "seconds": 3}. The output contains the name of the container, which is the
 * name of its host.
 */
async function hello({ input }, { progress, signal }) {
  const { name = 'world', seconds = 1 } = input ?? {};
  console.log(`greeting ${name} for ${seconds} s`);
  for (let second = 1; second <= seconds; second++) {
    await sleep(1000, undefined, { signal });
    console.log(`second ${second} of ${seconds}`);
    await progress({ percent: Math.round((100 * second) / seconds) });
  }
  return { greeting: `${process.env.GREETING ?? 'Hello'}, ${name}!`, container: hostname(), node: process.version };
}

await serve(hello);
