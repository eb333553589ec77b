import assert from 'node:assert/strict';
import { TokenCounter } from '../../../../src/features/requests/chatModels/tokenCounter.ts';
import { steppedClock } from '../../steppedClock.ts';

const WARM_MS = 30_000;

function counter(answer: () => Promise<number | undefined> = () => Promise.resolve(7)) {
  const time = steppedClock();
  const tokens = new TokenCounter(time.clock);
  const asked: string[] = [];
  const ask = (text: string) => {
    asked.push(text);
    return answer();
  };
  return {
    time,
    asked,
    count: (text: string) => tokens.ofText('m', text, ask),
    ofMessage: (...parts: Parameters<TokenCounter['ofMessage']>[1]) => tokens.ofMessage('m', parts, ask),
    answered: (prompt = '', promptTokens?: number) => tokens.answered('m', prompt, promptTokens, WARM_MS),
  };
}

describe('A count of tokens', () => {
  it('is an estimate by bytes before the first answer, and starts no worker', async () => {
    const { count, ofMessage, asked } = counter();
    assert.deepEqual([await count(''), await count('12345678'), await count('日本')], [0, 2, 2]);
    const image = { kind: 'image', mimeType: 'image/png', bytes: new Uint8Array(10) } as const;
    assert.equal(await ofMessage({ kind: 'text', text: '12345678' }, image), 2 + 4 + 1_000);
    assert.deepEqual(asked, []);
  });

  it('comes from the worker shortly after an answer, once for each text', async () => {
    const { count, answered, asked, time } = counter();
    answered();
    assert.deepEqual([await count('text'), await count('text')], [7, 7]);
    assert.deepEqual(asked, ['text']);
    time.advance(WARM_MS);
    assert.equal(await count('other'), 2);
    assert.equal(await count('text'), 7, 'a remembered count stays');
  });

  it('is an estimate until the next answer if the worker has no tokenizer or fails', async () => {
    for (const answer of [() => Promise.resolve(undefined), () => Promise.reject(new Error('busy'))]) {
      const { count, answered, asked } = counter(answer);
      answered();
      assert.deepEqual([await count('text'), await count('more')], [1, 1]);
      assert.equal(asked.length, 1);
      answered();
      await count('text');
      assert.equal(asked.length, 2);
    }
  });

  it('asks a limited number of times, and not for long texts', async () => {
    const { count, answered, asked } = counter();
    answered();
    await count('x'.repeat(20_001));
    assert.equal(asked.length, 0);
    for (let index = 0; index < 150; index++) await count(`text ${index}`);
    assert.equal(asked.length, 100);
  });

  it('learns the mean size of tokens from the usage of answers, within bounds', async () => {
    const prompt = 'x'.repeat(3_000);
    const { count, answered, time } = counter();
    for (let index = 0; index < 20; index++) answered(prompt, 1_000);
    time.advance(WARM_MS);
    assert.equal(await count('x'.repeat(300)), 100);
    for (let index = 0; index < 50; index++) answered(prompt, 1);
    time.advance(WARM_MS);
    assert.equal(await count('x'.repeat(300)), 26, 'at most 12 bytes per token');
  });
});
