import assert from 'node:assert/strict';
import { chatText, readChat } from '../../../../src/features/requests/responses/chatStream.ts';
import { responseText } from '../../../../src/features/requests/responses/responseText.ts';

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, rest: object = {}, index = 0) =>
  event({ object: 'chat.completion.chunk', choices: [{ index, delta, ...rest }] });
const textOf = (events: string, isFinished = true) => {
  const answer = readChat(events);
  return answer && chatText(answer, isFinished);
};

describe('Events of a chat completion', () => {
  const complete =
    chunk({ role: 'assistant', content: '' }) +
    chunk({ content: 'Hel' }) +
    chunk({ content: 'lo\nyou' }, { finish_reason: 'stop' }) +
    event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }) +
    'data: [DONE]\n\n';

  it('are read as one text with the finish reason and the usage', () => {
    assert.equal(textOf(complete), 'Hello\nyou\n\n# finish reason: stop · 3 prompt tokens, 2 completion tokens');
  });

  it('are read as they arrive, at every cut', () => {
    let before = '';
    for (let end = 0; end <= complete.length; end++) {
      const text = textOf(complete.slice(0, end), false) ?? '';
      assert.ok(text.startsWith(before), `${JSON.stringify(text)} continues ${JSON.stringify(before)}`);
      before = text;
    }
    assert.equal(before, 'Hello\nyou');
  });

  it('can contain reasoning, tool calls, several choices, and an error', () => {
    assert.equal(textOf(chunk({ reasoning_content: 'a\nb' }) + chunk({ content: 'c' }), false), '> a\n> b\n\nc');
    const call = (part: object) => chunk({ tool_calls: [{ index: 0, function: part }] });
    assert.equal(
      textOf(call({ name: 'f', arguments: '' }) + call({ arguments: '{"a":1}' }), false),
      '# Tool call: f({"a":1})',
    );
    assert.equal(
      textOf(chunk({ content: 'a' }) + chunk({ content: 'b' }, {}, 1), false),
      '# Choice 1\na\n\n# Choice 2\nb',
    );
    assert.match(
      textOf(chunk({ content: 'a' }) + event({ error: { message: 'out of\nmemory' } })) ?? '',
      /error: out of memory/,
    );
  });

  it('of the older completion route are read too', () => {
    assert.equal(textOf(event({ choices: [{ index: 0, text: 'old' }] }), false), 'old');
  });

  it('of another kind, or broken ones, are not a chat', () => {
    for (const events of [
      '',
      'data: one\n\n',
      'data: {"choices": 1}\n\n',
      'data: {"choices": [{"index": 1e9, "delta": 1}]}\n\n',
    ])
      assert.equal(readChat(events), undefined, events);
    assert.deepEqual(readChat(chunk({ content: 'x' }, {}, 1e9))?.choices, []);
  });

  it('appear in the response document as text first, and as events once they have ended', () => {
    const body = new TextEncoder().encode(complete);
    const headers = [{ name: 'content-type', value: 'text/event-stream' }];
    const head = { status: 200, statusText: 'OK', headers, workerId: undefined, firstByteMs: 1 };
    const shown = { head, body, size: body.length, totalMs: 2 };
    assert.match(responseText({ ...shown, state: { kind: 'receiving' } }), /\n\nHello\nyou$/);
    assert.match(
      responseText({ ...shown, state: { kind: 'complete' } }),
      /\n\nHello\nyou\n\n# finish.*\n\n### Events\n\ndata: /,
    );
  });
});
