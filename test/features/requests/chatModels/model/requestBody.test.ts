import assert from 'node:assert/strict';
import {
  requestBody,
  type ChatRequest,
  type ChatTurn,
} from '../../../../../src/features/requests/chatModels/model/requestBody.ts';

const body = (turns: readonly ChatTurn[], more: Partial<ChatRequest> = {}) =>
  requestBody({ modelId: 'm', imageInput: false, turns, ...more });
const text = (value: string) => ({ kind: 'text', text: value }) as const;
const hello: ChatTurn = { role: 'user', parts: [text('hello')] };
const image = { kind: 'image', mimeType: 'image/png', bytes: new Uint8Array([1, 2, 3]) } as const;

describe('The body of a chat request', () => {
  it('has the model, the messages, and a stream with usage', () => {
    assert.deepEqual(
      body([
        { role: 'system', parts: [text('be '), text('brief')] },
        { ...hello, name: 'Ada' },
      ]),
      {
        model: 'm',
        messages: [
          { role: 'system', content: 'be brief' },
          { role: 'user', content: 'hello', name: 'Ada' },
        ],
        stream: true,
        stream_options: { include_usage: true },
      },
    );
  });

  it('has calls of tools, and their results as separate messages before further text', () => {
    const { messages } = body([
      {
        role: 'assistant',
        parts: [text('Let me look.'), { kind: 'toolCall', id: 'c', name: 'f', input: { x: 1 } }],
      },
      { role: 'user', parts: [text('And?'), { kind: 'toolResult', callId: 'c', text: 'rain' }] },
      { role: 'assistant', parts: [{ kind: 'toolCall', id: 'd', name: 'g', input: {} }] },
      { role: 'user', parts: [{ kind: 'toolResult', callId: 'd', text: '' }] },
    ]);
    assert.deepEqual(messages, [
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      { role: 'tool', content: 'rain', tool_call_id: 'c' },
      { role: 'user', content: 'And?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'd', type: 'function', function: { name: 'g', arguments: '{}' } }],
      },
      { role: 'tool', content: '', tool_call_id: 'd' },
    ]);
  });

  it('has images as data URLs, if the model accepts them', () => {
    const turns: ChatTurn[] = [{ role: 'user', parts: [text('What is this?'), image] }];
    assert.deepEqual(body(turns, { imageInput: true }).messages[0]?.content, [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
    ]);
    assert.throws(() => body(turns), { name: 'ChatError', message: 'images: image/png' });
  });

  it('offers tools, and requires a call only on request', () => {
    const tools = [{ name: 'f', description: 'F' }];
    const offered = body([hello], { tools });
    assert.deepEqual(offered.tools, [
      { type: 'function', function: { name: 'f', description: 'F', parameters: { type: 'object', properties: {} } } },
    ]);
    assert.ok(!('tool_choice' in offered));
    assert.equal(body([hello], { tools, toolRequired: true }).tool_choice, 'required');
    assert.ok(!('tool_choice' in body([hello], { toolRequired: true })), 'without tools');
  });

  it('passes other options on, but keeps its own fields', () => {
    const modelOptions = { temperature: 0, stream: false, model: 'other', messages: [] };
    const { temperature, stream, model, messages } = body([hello], { modelOptions }) as unknown as Record<
      string,
      unknown
    >;
    assert.deepEqual([temperature, stream, model], [0, true, 'm']);
    assert.deepEqual(messages, [{ role: 'user', content: 'hello' }]);
  });
});
