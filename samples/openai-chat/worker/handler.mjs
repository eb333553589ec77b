import { setTimeout as sleep } from 'node:timers/promises';
import { chunksOf, completion, models, RequestError } from './completion.mjs';
import { serve } from './serverless.mjs';

/* Worker of the queue-based endpoint. Each request to /openai/v1/… is a job with the path and the body of the request. */

/** Handles a job. Yields the parts of its output: events of an answer, or one response. */
async function* handle({ input }, signal) {
  const { openai_route: route, openai_input: body = {} } = input;
  try {
    if (route === '/v1/models') {
      yield models();
    } else if (route !== '/v1/chat/completions') {
      throw new RequestError(404, `no route matches ${route}`);
    } else if (body.stream) {
      for await (const chunk of chunksOf(body, signal)) yield `data: ${JSON.stringify(chunk)}\n\n`;
      yield 'data: [DONE]\n\n';
    } else {
      yield await completion(body, signal);
    }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    // The platform responds with this status, or sends an event if the answer has begun.
    yield { object: 'error', message: error.message, code: error.status };
  }
}

const { LOAD_SECONDS = '0' } = process.env;
console.log(`loading for ${LOAD_SECONDS} s`);
await sleep(Number(LOAD_SECONDS) * 1000);
await serve(handle);
