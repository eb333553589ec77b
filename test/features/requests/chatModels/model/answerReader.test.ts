import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AnswerReader, type AnswerPart } from '../../../../../src/features/requests/chatModels/model/answerReader.ts';
import { ChatError } from '../../../../../src/features/requests/chatModels/model/chatError.ts';

const EVENTS = 'text/event-stream';

interface Read {
  readonly parts: readonly AnswerPart[];
  readonly error?: string;
}

/** Reads an answer in chunks of bytes. Adjacent texts are joined, because their borders depend on the server. */
function read(chunks: readonly Uint8Array[], contentType = EVENTS): Read {
  const reader = new AnswerReader(contentType);
  const parts: AnswerPart[] = [];
  const add = (part: AnswerPart) => {
    const last = parts.at(-1);
    if (part.kind === 'text' && last?.kind === 'text')
      parts.splice(-1, 1, { kind: 'text', text: last.text + part.text });
    else parts.push(part);
  };
  try {
    for (const chunk of chunks) for (const part of reader.feed(chunk)) add(part);
    for (const part of reader.end()) add(part);
  } catch (error) {
    assert.ok(error instanceof ChatError, String(error));
    return { parts, error: error.message };
  }
  return { parts };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const readText = (text: string, contentType?: string) => read([bytes(text)], contentType);
const event = (json: unknown) => `data: ${JSON.stringify(json)}\n\n`;
const delta = (part: object, finish: string | null = null) =>
  event({ choices: [{ index: 0, delta: part, finish_reason: finish }] });
const call = (fragment: object) => delta({ tool_calls: [fragment] });
const DONE = 'data: [DONE]\n\n';

describe('An answer that arrives as events', () => {
  it('is read as text and usage', () => {
    const text = [
      delta({ role: 'assistant', content: '' }),
      delta({ content: 'Hällo ' }),
      delta({ content: '🌍' }),
      delta({}, 'stop'),
      event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }),
      DONE,
    ].join('');
    assert.deepEqual(readText(text), {
      parts: [
        { kind: 'text', text: 'Hällo 🌍' },
        { kind: 'usage', prompt: 3, completion: 2 },
      ],
    });
  });

  it('is the same at every cut, also inside characters and events', () => {
    const whole = bytes(
      [
        ': comment\n\n',
        delta({ content: 'ä🌍' }).replaceAll('\n', '\r\n'),
        call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
        call({ index: 0, function: { arguments: ':"é"}' } }),
        delta({}, 'tool_calls'),
        DONE,
      ].join(''),
    );
    const expected = read([whole]);
    assert.deepEqual(expected.parts, [
      { kind: 'text', text: 'ä🌍' },
      { kind: 'toolCall', id: 'a', name: 'f', input: { x: 'é' } },
    ]);
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        const chunks = places.slice(1).map((end, index) => whole.slice(places[index], end));
        assert.deepEqual(read(chunks), expected);
      }),
    );
  });

  it('never fails with another error, whatever a server sends', () => {
    const json = fc.oneof(fc.json(), fc.constantFrom('[DONE]', '{', '{"choices":[{"delta":null}]}', '{"error":{}}'));
    const line = fc.oneof(
      json.map((value) => `data: ${value}`),
      fc.string(),
      fc.constant(''),
    );
    fc.assert(fc.property(fc.array(line), (lines) => void readText(lines.join('\n'))));
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (chunk) => void read([chunk])));
  });

  it('can contain reasoning under either name', () => {
    const text = delta({ reasoning_content: 'a' }) + delta({ reasoning: 'b' }) + delta({ content: 'c' }, 'stop');
    assert.deepEqual(
      readText(text).parts.map(({ kind }) => kind),
      ['reasoning', 'reasoning', 'text'],
    );
  });

  it('is complete without a blank line after the last event', () => {
    assert.deepEqual(readText(delta({ content: 'a' }).trimEnd()).parts, [{ kind: 'text', text: 'a' }]);
  });

  it('uses only the first choice', () => {
    const text = event({
      choices: [
        { index: 1, delta: { content: 'second' } },
        { index: 0, delta: { content: 'first' } },
      ],
    });
    assert.deepEqual(readText(text).parts, [{ kind: 'text', text: 'first' }]);
  });

  it('ends with the error of a worker, after the parts before it', () => {
    for (const error of [
      { error: { message: 'out of memory' } },
      { error: 'out of memory' },
      { object: 'error', message: 'out of memory', code: 500 },
    ])
      assert.deepEqual(readText(delta({ content: 'a' }) + event(error) + delta({ content: 'b' })), {
        parts: [{ kind: 'text', text: 'a' }],
        error: 'worker: out of memory',
      });
  });

  it('is not complete at the maximum length, and when content was withheld', () => {
    assert.equal(readText(delta({ content: 'a' }, 'length')).error, 'length');
    assert.equal(readText(delta({ content: 'a' }, 'content_filter')).error, 'filtered');
    const cut = call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x' } }) + delta({}, 'length');
    assert.deepEqual(readText(cut), { parts: [], error: 'length' });
  });

  it('is not an answer without content, and without any event of a chat', () => {
    assert.equal(readText(delta({ content: '' }, 'stop') + DONE).error, 'empty');
    assert.equal(readText('<html>').error, 'notChat');
    assert.equal(readText('').error, 'notChat');
  });
});

describe('An answer that arrives as JSON', () => {
  const JSON_TYPE = 'application/json; charset=utf-8';

  it('has the same parts', () => {
    const message = {
      content: 'a',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    };
    const body = { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: { prompt_tokens: 1 } };
    assert.deepEqual(readText(JSON.stringify(body), JSON_TYPE).parts, [
      { kind: 'usage', prompt: 1, completion: 0 },
      { kind: 'text', text: 'a' },
      { kind: 'toolCall', id: 'c', name: 'f', input: {} },
    ]);
    assert.deepEqual(readText(event(body)).parts.length, 3, 'as the only event too');
  });

  it('can be an error or something else', () => {
    assert.equal(readText('{"object":"error","message":"no"}', JSON_TYPE).error, 'worker: no');
    assert.equal(readText('{"id":"job","status":"IN_QUEUE"}', JSON_TYPE).error, 'notChat');
    assert.equal(readText('{', JSON_TYPE).error, 'notChat');
  });
});
