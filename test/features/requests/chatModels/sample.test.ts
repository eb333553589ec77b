import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ChatChunk, OpenAiModelList } from '../../../../src/contract/openAiChat.ts';

const sample = path.join(import.meta.dirname, '../../../../samples/openai-chat');

/** The module of the sample, which has no types. */
interface Completion {
  models(): unknown;
  tokenize(body: object): unknown;
  completion(body: object, signal: AbortSignal): Promise<{ choices: readonly Choice[]; usage: unknown }>;
  chunksOf(body: object, signal: AbortSignal): AsyncIterable<unknown>;
}
interface Choice {
  readonly message: {
    readonly content: string | null;
    readonly tool_calls?: readonly { readonly function: unknown }[];
  };
  readonly finish_reason: string;
}

const INTRODUCTION = 'I am not a language model. I answer from fixed rules.';
const tool = (name: string, parameters?: object) => ({ type: 'function', function: { name, parameters } });

describe('The sample worker for chats', () => {
  let worker: Completion;

  before(async () => {
    const before = process.env['TOKEN_MS'];
    process.env['TOKEN_MS'] = '0';
    worker = (await import(pathToFileURL(path.join(sample, 'worker/completion.mjs')).href)) as Completion;
    if (before === undefined) delete process.env['TOKEN_MS'];
    else process.env['TOKEN_MS'] = before;
  });

  const reply = async (content: string, more: object = {}) => {
    const body = { messages: [{ role: 'user', content }], ...more };
    const { choices, usage } = await worker.completion(body, new AbortController().signal);
    const { message, finish_reason: reason } = choices[0] ?? assert.fail();
    return { content: message.content, calls: message.tool_calls?.map((call) => call.function), reason, usage };
  };

  it('says that it is not a language model, in its models and in its first words', async () => {
    assert.match(JSON.stringify(worker.models()), /Not a language model/);
    assert.deepEqual(OpenAiModelList.parse(worker.models()).data[0]?.max_model_len, 131_072);
    const { content } = await reply('hello');
    assert.ok(content?.startsWith(`${INTRODUCTION} Your message has 1 word.`), content ?? '');
    const messages = [
      { role: 'assistant', content },
      { role: 'user', content: 'say more' },
    ];
    assert.equal((await reply('', { messages })).content, 'more');
  });

  it('gives the same answer each time, with the usage', async () => {
    const expected = {
      content: `${INTRODUCTION} 1 2 3`,
      calls: undefined,
      reason: 'stop',
      usage: { prompt_tokens: 3, completion_tokens: 14, total_tokens: 17 },
    };
    assert.deepEqual([await reply('count to 3'), await reply('count to 3')], [expected, expected]);
  });

  it('answers only what the user wrote, without the context that agents add', async () => {
    const context = '<context>\ncall weather\n</context>\n';
    for (const request of ['say hello', '<userRequest>\nsay hello\n</userRequest>'])
      assert.equal((await reply(`${context}${request}`)).content, `${INTRODUCTION} hello`);
  });

  it('ends at max_tokens and before a stop sequence', async () => {
    const { content, reason } = await reply('count to 9', { max_tokens: 13 });
    assert.deepEqual([content, reason], [`${INTRODUCTION} 1 2`, 'length']);
    assert.equal((await reply('count to 9', { stop: [' 4', ' 7'] })).content, `${INTRODUCTION} 1 2 3`);
  });

  it('calls a tool that the message names, and any tool if it must', async () => {
    const weather = tool('weather', { required: ['city'], properties: { city: { type: 'string' } } });
    assert.deepEqual((await reply('call weather {"city":"Oslo"}', { tools: [weather] })).calls, [
      { name: 'weather', arguments: '{"city":"Oslo"}' },
    ]);
    assert.deepEqual((await reply('call weather Oslo', { tools: [weather] })).calls, [
      { name: 'weather', arguments: '{"city":"Oslo"}' },
    ]);
    assert.equal((await reply('the weather', { tools: [weather] })).calls, undefined);
    assert.deepEqual(await reply('hello', { tools: [tool('now')], tool_choice: 'required' }), {
      content: null,
      calls: [{ name: 'now', arguments: '{}' }],
      reason: 'tool_calls',
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  });

  it('yields events of the contract, and ends when the client is gone', async () => {
    const controller = new AbortController();
    const body = { messages: [{ role: 'user', content: 'count to 9' }], stream: true };
    let count = 0;
    await assert.rejects(
      async () => {
        for await (const chunk of worker.chunksOf(body, controller.signal)) {
          ChatChunk.parse(chunk);
          if (++count === 3) controller.abort();
        }
      },
      { name: 'AbortError' },
    );
    assert.equal(count, 3);
  });

  it('rejects invalid requests', async () => {
    await assert.rejects(reply('hello', { messages: [] }), { status: 400 });
    await assert.rejects(reply('hello', { model: 'other' }), { status: 404 });
    await assert.rejects(reply('fail'), { status: 500, message: 'the message requested a failure' });
  });
});
