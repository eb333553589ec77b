import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Client } from '../../../../../src/client/client.ts';
import { createClient } from '../../../../../src/client/client.ts';
import { chat } from '../../../../../src/features/requests/chatModels/actions/chat.ts';
import type { AnswerPart } from '../../../../../src/features/requests/chatModels/model/answerReader.ts';
import { requestBody } from '../../../../../src/features/requests/chatModels/model/requestBody.ts';
import { json, startScriptedServer, type Script } from '../../../../client/scriptedServer.ts';
import { endpoint } from '../../../endpoints/sample.ts';
import { steppedClock } from '../../../steppedClock.ts';

const body = requestBody({
  modelId: 'm',
  imageInput: false,
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'hello' }] }],
});
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const text = (content: string) => event({ choices: [{ delta: { content } }] });

/** Responds to the read of the endpoint, and to the chat with a script. */
const onChat =
  (script: Script, fields: object = {}): Script =>
  (request, response) =>
    request.method === 'GET' ? json(response, 200, { ...endpoint, ...fields }) : script(request, response);

const begin = (response: ServerResponse, ...events: string[]) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const one of events) response.write(one);
};

interface Options {
  readonly signal?: AbortSignal;
  readonly onPart?: (part: AnswerPart) => void;
  readonly retrying?: () => void;
}

async function answer(client: Client, { signal, onPart, retrying }: Options = {}): Promise<string> {
  const texts: string[] = [];
  const observer = { waiting: () => undefined, retrying: () => retrying?.() };
  const parts = chat({ endpointId: 'e' }, body, {
    client,
    signal: signal ?? new AbortController().signal,
    observer,
  });
  for await (const part of parts) {
    if (part.kind === 'text') texts.push(part.text);
    onPart?.(part);
  }
  return texts.join('|');
}

describe('A chat with an endpoint', () => {
  it('goes to the path of its type, and yields the answer as it arrives', async () => {
    for (const [type, path] of [
      ['QUEUE', '/queue/v2/e/openai/v1/chat/completions'],
      ['LOAD_BALANCER', '/endpoints/e/v1/chat/completions'],
    ] as const) {
      const first = Promise.withResolvers<void>();
      const script: Script = async (_, response) => {
        begin(response, text('a'));
        await first.promise;
        response.end(text('b'));
      };
      await using server = await startScriptedServer(onChat(script, { type }));
      // The second part is sent only after the first one was read.
      assert.equal(await answer(server.client, { onPart: () => first.resolve() }), 'a|b');
      assert.equal(server.received[1]?.path, path);
      assert.deepEqual(JSON.parse(server.received[1].body), body);
    }
  });

  it('of an endpoint that is paused sends nothing', async () => {
    await using server = await startScriptedServer(onChat(() => assert.fail(), { workers: { min: 0, max: 0 } }));
    await assert.rejects(answer(server.client), { name: 'ChatError', code: 'paused' });
    assert.equal(server.received.length, 1);
  });

  it('of a deleted endpoint fails', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 404, { message: 'no endpoint' }));
    await assert.rejects(answer(server.client), { name: 'ApiError', kind: 'notFound' });
  });

  it('is sent again while no worker is ready', async () => {
    const time = steppedClock();
    let calls = 0;
    const script: Script = (_, response) => {
      calls++;
      if (calls < 3) json(response, 503, { error: 'no workers available' });
      else {
        begin(response, text('a'));
        response.end();
      }
    };
    await using server = await startScriptedServer(onChat(script, { type: 'LOAD_BALANCER' }));
    const client = createClient({ connection: server.connection, fetch, clock: time.clock });
    const retrying = () => setImmediate(() => time.advance(5_000));
    assert.equal(await answer(client, { retrying }), 'a');
    assert.equal(calls, 3);
  });

  it('waits for an answer no longer than the timeout of the endpoint', async () => {
    const time = steppedClock();
    const asked = Promise.withResolvers<ServerResponse>();
    const script: Script = (_, response) => asked.resolve(response);
    await using server = await startScriptedServer(onChat(script, { timeout: 60_000 }));
    const client = createClient({ connection: server.connection, fetch, clock: time.clock });
    const failed = assert.rejects(answer(client), {
      kind: 'timeout',
      message: 'no answer began within 60 s, which is the timeout of the endpoint',
    });
    const closed = once(await asked.promise, 'close');
    time.advance(60_000);
    await failed;
    await closed;
  });

  it('has no time limit once the answer has begun', async () => {
    const time = steppedClock();
    const first = Promise.withResolvers<void>();
    const script: Script = async (_, response) => {
      begin(response, text('a'));
      await first.promise;
      time.advance(3_600_000);
      response.end(text('b'));
    };
    await using server = await startScriptedServer(onChat(script));
    const client = createClient({ connection: server.connection, fetch, clock: time.clock });
    assert.equal(await answer(client, { onPart: () => first.resolve() }), 'a|b');
  });

  it('closes its connection when it is canceled, and when the caller stops reading', async () => {
    for (const isCanceled of [true, false]) {
      const asked = Promise.withResolvers<ServerResponse>();
      const script: Script = (_, response) => {
        begin(response, text('a'));
        asked.resolve(response);
      };
      await using server = await startScriptedServer(onChat(script));
      const controller = new AbortController();
      const closed = asked.promise.then((response) => once(response, 'close'));
      const stopped = new Error('stopped');
      const onPart = () => {
        if (!isCanceled) throw stopped;
        controller.abort();
      };
      const expected = isCanceled ? { kind: 'canceled' } : stopped;
      await assert.rejects(answer(server.client, { signal: controller.signal, onPart }), expected);
      await closed;
    }
  });

  it('can be canceled while it waits', async () => {
    const controller = new AbortController();
    await using server = await startScriptedServer(onChat(() => controller.abort()));
    await assert.rejects(answer(server.client, { signal: controller.signal }), { kind: 'canceled' });
  });

  it('fails with the message and the kind of an error response', async () => {
    for (const [status, kind] of [
      [400, 'validation'],
      [401, 'unauthorized'],
      [404, 'notFound'],
      [429, 'rateLimited'],
      [500, 'server'],
    ] as const) {
      const error = { error: { message: 'too many tokens', type: 'x' } };
      await using server = await startScriptedServer(onChat((_, response) => json(response, status, error)));
      await assert.rejects(answer(server.client), { name: 'ApiError', kind, message: 'too many tokens' });
    }
  });

  it('fails if the connection closes before the end, after the parts that arrived', async () => {
    const parts: AnswerPart[] = [];
    const first = Promise.withResolvers<void>();
    const script: Script = async (_, response) => {
      begin(response, text('a'));
      await first.promise;
      response.destroy();
    };
    await using server = await startScriptedServer(onChat(script));
    const onPart = (part: AnswerPart) => {
      parts.push(part);
      first.resolve();
    };
    await assert.rejects(answer(server.client, { onPart }), { name: 'ApiError', kind: 'network' });
    assert.deepEqual(parts, [{ kind: 'text', text: 'a' }]);
  });

  it('fails if the response is not an answer', async () => {
    for (const script of [
      (_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'),
      (_, response) => void response.writeHead(204).end(),
      (_, response) => void response.writeHead(302, { Location: 'https://example.com' }).end(),
    ] satisfies Script[]) {
      await using server = await startScriptedServer(onChat(script));
      await assert.rejects(answer(server.client), { name: 'ChatError', code: 'notChat' });
    }
  });
});
