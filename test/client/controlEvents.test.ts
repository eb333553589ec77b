import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ApiError } from '../../src/client/apiError.ts';
import { pullImage } from '../../src/client/controlEvents.ts';
import type { PullEvent } from '../../src/contract/control/controlImages.ts';
import { json, startScriptedServer, type Script } from './scriptedServer.ts';

const frame = (event: PullEvent) => `data: ${JSON.stringify(event)}\n\n`;
const wanted = { image: 'example/worker:1', registryId: 'r1' };

function startEvents(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'Content-Type': 'text/event-stream' });
}

async function pulled(script: Script, signal = new AbortController().signal) {
  await using server = await startScriptedServer(script);
  const events: PullEvent[] = [];
  try {
    for await (const event of pullImage(server.client.context, wanted, signal)) events.push(event);
    return { events, error: undefined, received: server.received };
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return { events, error, received: server.received };
  }
}

describe('pulling an image on the local platform', () => {
  it('sends the image with the key, and yields each event up to the last one', async () => {
    const { events, error, received } = await pulled((_, response) => {
      const text = [
        ': alive\n\n',
        frame({ event: 'progress' }),
        frame({ event: 'progress', percent: 43 }),
        frame({ event: 'done', digest: 'sha256:1' }),
        frame({ event: 'progress', percent: 99 }),
      ].join('');
      // The frames are divided at any byte.
      startEvents(response);
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
    });
    assert.equal(error, undefined);
    assert.deepEqual(events, [
      { event: 'progress' },
      { event: 'progress', percent: 43 },
      { event: 'done', digest: 'sha256:1' },
    ]);
    const [request] = received;
    assert.deepEqual(
      [request?.method, request?.path, request?.headers.authorization, JSON.parse(request?.body ?? '')],
      ['POST', '/control/v1/images/pull', 'Bearer the-key', wanted],
    );
  });

  it('yields the failure of the engine as the last event', async () => {
    const failed: PullEvent = { event: 'failed', problem: 'credentialsMissing', reason: 'no basic auth credentials' };
    const { events, error } = await pulled((_, response) => {
      startEvents(response).end(frame(failed));
    });
    assert.equal(error, undefined);
    assert.deepEqual(events, [failed]);
  });

  it('throws the refusal of the platform', async () => {
    const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'there is no such credential' };
    const { error } = await pulled((_, response) => json(response, 404, problem, 'application/problem+json'));
    assert.deepEqual([error?.kind, error?.message], ['notFound', 'there is no such credential']);
  });

  it('throws if the connection closes before the last event', async () => {
    const { events, error } = await pulled((_, response) => {
      startEvents(response).end(frame({ event: 'progress', percent: 10 }));
    });
    assert.equal(events.length, 1);
    assert.deepEqual([error?.kind, error?.message], ['network', 'the connection closed before the last event']);
  });

  it('closes the connection when it is canceled', async () => {
    const canceling = new AbortController();
    const closed = Promise.withResolvers<void>();
    const { error } = await pulled((_, response) => {
      void once(response, 'close').then(() => closed.resolve());
      startEvents(response).write(frame({ event: 'progress', percent: 1 }));
      canceling.abort();
    }, canceling.signal);
    assert.equal(error?.kind, 'canceled');
    await closed.promise;
  });
});
