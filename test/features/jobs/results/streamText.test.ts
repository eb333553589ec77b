import assert from 'node:assert/strict';
import { MAX_STREAM_CHARACTERS, StreamText } from '../../../../src/features/jobs/results/streamText.ts';

describe('Text of a stream', () => {
  const textOf = (...outputs: unknown[]) => {
    const stream = new StreamText();
    stream.append(outputs);
    return stream.text;
  };

  it('joins strings, and puts each other value on a line of JSON', () => {
    assert.equal(textOf('Hello', ', ', 'world'), 'Hello, world');
    assert.equal(textOf({ a: 1 }, [2]), '{"a":1}\n[2]\n');
    assert.equal(textOf('text', { a: 1 }, 'more'), 'text\n{"a":1}\nmore');
  });

  it('ends with a line about the end, the chunks, and their size', () => {
    const stream = new StreamText();
    stream.append(['ab', { c: 1 }]);
    stream.end('completed');
    stream.end('completed');
    assert.equal(stream.text, 'ab\n{"c":1}\n\n— Completed: 2 chunks, 9 B —\n');
  });

  it('says where chunks may be missing', () => {
    const stream = new StreamText();
    stream.append(['ab']);
    stream.interrupt();
    stream.append(['cd']);
    assert.equal(stream.text, 'ab\n— The connection was interrupted. Chunks may be missing here. —\ncd');
  });

  it('keeps the last 4 MiB, and says what is left out', () => {
    const stream = new StreamText();
    const chunk = `${'x'.repeat(1023)}\n`;
    for (let index = 0; index < 6 * 1024; index++) stream.append([chunk]);
    assert.ok(stream.text.length <= MAX_STREAM_CHARACTERS);
    assert.ok(stream.text.length > MAX_STREAM_CHARACTERS / 2);
    assert.match(stream.text, /^— The first \d\.\d MB are left out\. —\nx+\n/);
    assert.equal(stream.chunks, 6 * 1024);
  });

  it('bounds a single chunk over the limit', () => {
    assert.ok(textOf('x'.repeat(3 * MAX_STREAM_CHARACTERS)).length <= MAX_STREAM_CHARACTERS);
  });
});
