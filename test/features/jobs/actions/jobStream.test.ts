import assert from 'node:assert/strict';
import { JobStream, type StreamEvent } from '../../../../src/features/jobs/actions/jobStream.ts';
import { createClient } from '../../../../src/client/client.ts';
import { json, startScriptedServer, type Script } from '../../../client/scriptedServer.ts';
import { eventually } from '../../../platform/support.ts';
import { steppedClock } from '../../steppedClock.ts';

interface World {
  readonly events: StreamEvent[];
  readonly received: readonly { readonly path: string }[];
  readonly result: Promise<void>;
  stop: () => void;
  end: () => Promise<void>;
}

async function withStream(script: Script, test: (world: World) => Promise<void>): Promise<void> {
  await using server = await startScriptedServer(script);
  const time = steppedClock();
  const events: StreamEvent[] = [];
  const stream = new JobStream({
    client: createClient({ connection: server.connection, fetch, clock: time.clock }),
    address: { endpointId: 'e', jobId: 'j' },
    onEvent: (event) => void events.push(event),
  });
  let done = false;
  const result = stream.start().then(() => void (done = true));
  // Ends all pauses.
  const passing = eventually('the stream ends', () => {
    time.advance(500);
    return done;
  });
  await test({ events, received: server.received, result, stop: () => stream.stop(), end: () => stream.end() });
  stream.stop();
  await passing;
}

const chunk = (...outputs: unknown[]) => ({ stream: outputs.map((output) => ({ output })) });
const chunksOf = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => (event.kind === 'chunks' ? event.outputs : []));

describe('Stream of a job', () => {
  it('reports the chunks in order until the job has ended and all of them are read', async () => {
    const answers = [
      { status: 'IN_PROGRESS', ...chunk('a', { n: 1 }) },
      { status: 'IN_PROGRESS', ...chunk() },
      { status: 'COMPLETED', ...chunk('b') },
      { status: 'COMPLETED', ...chunk() },
    ];
    await withStream(
      (_, response) => json(response, 200, answers.shift()),
      async ({ result, events, received }) => {
        await result;
        assert.deepEqual(chunksOf(events), ['a', { n: 1 }, 'b']);
        assert.equal(received.length, 4);
        assert.ok(received.every(({ path }) => path.endsWith('/stream/j?wait=10000')));
      },
    );
  });

  it('has at most one open request, also if the handler does not stream', async () => {
    let open = 0;
    let most = 0;
    let left = 5;
    const script: Script = (_, response) => {
      most = Math.max(most, ++open);
      setImmediate(() => {
        open--;
        json(response, 200, { status: left-- > 0 ? 'IN_PROGRESS' : 'FAILED', ...chunk() });
      });
    };
    await withStream(script, async ({ result, events }) => {
      await result;
      assert.equal(most, 1);
      assert.deepEqual(events, []);
    });
  });

  it('continues after a cut response, and reports that chunks may be missing', async () => {
    let calls = 0;
    const script: Script = (_, response) => {
      calls++;
      if (calls === 1) json(response, 200, { status: 'IN_PROGRESS', ...chunk('a') });
      else if (calls === 2) response.writeHead(200, { 'Content-Length': '100' }).end('{"sta', () => response.destroy());
      else if (calls === 3) json(response, 502, {});
      else json(response, 200, { status: 'COMPLETED', ...(calls === 4 ? chunk('b') : chunk()) });
    };
    await withStream(script, async ({ result, events }) => {
      await result;
      assert.deepEqual(
        events.map(({ kind }) => kind),
        ['chunks', 'interrupted', 'chunks', 'ended'],
      );
      assert.deepEqual(chunksOf(events), ['a', 'b']);
    });
  });

  it('stops after a failure if the job has ended', async () => {
    const script: Script = (_, response) => json(response, 503, {});
    await withStream(script, async ({ result, received, end }) => {
      await eventually('a retry', () => received.length > 2);
      await end();
      await result;
    });
  });

  it('stops if the platform has no stream of the job', async () => {
    await withStream(
      (_, response) => json(response, 404, {}),
      async ({ result, events, received }) => {
        await result;
        assert.deepEqual([events, received.length], [[], 1]);
      },
    );
  });

  it('ends its request when it is stopped', async () => {
    const script: Script = () => undefined;
    await withStream(script, async ({ result, received, stop }) => {
      await eventually('the request', () => received.length === 1);
      stop();
      await result;
    });
  });
});
