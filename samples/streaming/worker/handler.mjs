import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './serverless.mjs';

const { WORD_MS = '150' } = process.env;

/**
 * Handles a job of this endpoint. The input is {"text": "Some words"}. Yields the text word by word, as a language model would, and then the
 * number of words. A string is shown as it is, and any other value as a line of JSON.
 */
async function* read({ input }, signal) {
  const words = String(input?.text ?? '').match(/\S+\s*/g);
  if (!words) throw new Error('the text has no words');
  console.log(`reading ${words.length} words`);
  for (const word of words) {
    await sleep(Number(WORD_MS), undefined, { signal });
    yield word;
  }
  yield { words: words.length };
}

await serve(read);
