import assert from 'node:assert/strict';
import { logStreamBody } from '../../src/client/logStreamBody.ts';

const LIMIT = 4096;

/** Returns the text of a body that arrives in chunks of a size. */
async function through(
  text: string,
  chunkSize: number,
  beforeChunk?: () => Promise<void> | undefined,
): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += chunkSize) controller.enqueue(bytes.slice(at, at + chunkSize));
      controller.close();
    },
  });
  return new Response(logStreamBody(body, { longestLine: LIMIT, beforeChunk })).text();
}

const event = (line: string) => `data: ${JSON.stringify({ source: 'container', line, ts: '2026-01-01T00:00:00Z' })}`;

describe('the body of a log stream', () => {
  it('passes lines up to the limit unchanged, however they are divided into chunks', async () => {
    const overhead = event('').length;
    const longest = event('x'.repeat(LIMIT - overhead));
    assert.equal(longest.length, LIMIT);
    const text = `id: 1\n${event('short')}\n\n${longest}\n\n: comment\n`;
    for (const size of [1, 7, 100, LIMIT, 100_000]) assert.equal(await through(text, size), text, `chunks of ${size}`);
  });

  it('cuts the middle of a longer line, so that its JSON stays valid', async () => {
    const texts = {
      plain: 'x'.repeat(50_000),
      quotes: '"'.repeat(50_000),
      backslashes: '\\'.repeat(50_001),
      controls: '\u0001'.repeat(20_000),
      unicode: '😀é'.repeat(20_000),
      mixed: 'a"\\\n\u0000é'.repeat(9_000),
    };
    for (const [name, text] of Object.entries(texts)) {
      for (const size of [1_000, 4_096, 65_536]) {
        const lines = (await through(`${event(`${text} the end`)}\n\nid: 2\n${event('next')}\n`, size)).split('\n');
        const parsed = JSON.parse((lines[0] ?? '').slice('data: '.length)) as { line: string; ts: string };
        assert.match(parsed.line, /… \[cut: \d+ bytes\] /, name);
        assert.match(parsed.line, /the end$/, name);
        assert.equal(parsed.ts, '2026-01-01T00:00:00Z', name);
        assert.ok((lines[0] ?? '').length < LIMIT + 2_048, name);
        assert.deepEqual(lines.slice(1), ['', 'id: 2', event('next'), ''], name);
      }
    }
  });

  it('keeps little of a line of 50 MB', async () => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: {"line":"')),
      pull: (controller) => {
        if (sent++ < 50) controller.enqueue(new Uint8Array(1024 * 1024).fill(0x61));
        else {
          controller.enqueue(new TextEncoder().encode(' end","ts":"1"}\n'));
          controller.close();
        }
      },
    });
    let sent = 0;
    const text = await new Response(logStreamBody(body, { longestLine: LIMIT })).text();
    assert.ok(text.length < LIMIT + 2_048);
    assert.match(
      (JSON.parse(text.slice('data: '.length)) as { line: string }).line,
      /^a+… \[cut: 52\d{6} bytes\] a+ end$/,
    );
  });

  it('waits for the reader before each chunk', async () => {
    const order: string[] = [];
    const text = await through('abc', 1, () => {
      order.push('before');
      return Promise.resolve().then(() => void order.push('after'));
    });
    assert.equal(text, 'abc');
    assert.deepEqual(order, ['before', 'after', 'before', 'after', 'before', 'after']);
  });
});
