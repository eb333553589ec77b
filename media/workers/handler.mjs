import { serve } from './serverless.mjs';

const { GREETING = 'Hello' } = process.env;

/**
 * Handles a job with the input {"name": "world"}. Its return value is the output of the job, and an
 * error fails the job.
 */
async function handler({ input }) {
  const { name = 'world' } = input ?? {};
  console.log(`greeting ${name}`);
  return { greeting: `${GREETING}, ${name}!` };
}

// Slow initialization, such as loading a model, belongs before this line. The worker is
// initializing until it asks for a job.
await serve(handler);
