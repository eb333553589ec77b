import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  LogPosition,
  messagesIn,
  readLog,
  timeOf,
  type LogMessage,
} from '../../../../src/platform/runtimes/container/containerLog.ts';
import { EngineApi, EngineError } from '../../../../src/machine/engine/engineApi.ts';
import { afterwards, cleanUp } from '../../support.ts';
import { engineAt } from './testEngine.ts';

type Line = readonly [stream: LogMessage['stream'], stamp: string, text: string];

/** Docker's times, with two lines of one moment. */
const NANOSECONDS: readonly Line[] = [
  ['stdout', '2026-11-23T03:57:44.100000000Z', 'first\n'],
  ['stdout', '2026-11-23T03:57:45.620359009Z', 'second\n'],
  ['stderr', '2026-11-23T03:57:45.620359009Z', 'second, other stream\n'],
  ['stdout', '2026-11-23T03:57:45.620359010Z', 'third: grün\n'],
  ['stdout', '2026-11-23T03:57:46.120359010Z', '\n'],
  ['stderr', '2026-11-23T03:57:48.000000000Z', 'last, without an end'],
];

/** Podman's times, which several lines share. */
const WHOLE_SECONDS: readonly Line[] = [
  ...['a', 'b', 'a', 'a'].map((text): Line => ['stdout', '2026-11-23T05:57:45+02:00', `${text}\n`]),
  ...['c', 'c'].map((text): Line => ['stderr', '2026-11-23T05:57:45+02:00', `${text}\n`]),
  ...['d', 'd', 'e'].map((text): Line => ['stdout', '2026-11-23T05:57:46+02:00', `${text}\n`]),
];

function frame([stream, stamp, text]: Line): Buffer {
  const content = Buffer.from(`${stamp} ${text}`);
  const header = Buffer.from([stream === 'stderr' ? 2 : 1, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
}

const framesOf = (lines: readonly Line[]): Buffer => Buffer.concat(lines.map(frame));

const lineOf = ({ stream, stamp, bytes }: LogMessage): Line => [stream, stamp, Buffer.from(bytes).toString()];

async function linesIn(messages: AsyncIterable<LogMessage>): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const message of messages) lines.push(lineOf(message));
  return lines;
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

describe('The log of a container', () => {
  afterEach(cleanUp);

  it('is split into messages, wherever a chunk ends', async () => {
    const bytes = framesOf(NANOSECONDS);
    for (let size = 1; size <= bytes.length; size++) {
      assert.deepEqual(await linesIn(messagesIn(inChunks(bytes, size))), NANOSECONDS, `chunks of ${size} bytes`);
    }
  });

  it('leaves out a frame that is cut off, which comes again', async () => {
    const bytes = framesOf(NANOSECONDS.slice(0, 2));
    const [first] = NANOSECONDS;
    const cut = bytes.subarray(0, bytes.length - 1);
    assert.deepEqual(await linesIn(messagesIn(inChunks(cut, 7))), [first]);
  });

  for (const [name, lines] of Object.entries({ NANOSECONDS, WHOLE_SECONDS })) {
    const times = name === 'NANOSECONDS' ? 'times in nanoseconds' : 'times in whole seconds';

    const kept = (position: LogPosition): LogPosition => position;
    const stored = (position: LogPosition): LogPosition => new LogPosition(JSON.parse(JSON.stringify(position)));
    for (const [what, next] of Object.entries({ 'the connection breaks': kept, 'the platform is killed': stored })) {
      it(`has each line once with ${times}, wherever ${what}`, () => {
        for (let first = 0; first <= lines.length; first++) {
          for (let second = first; second <= lines.length; second++) {
            let position = new LogPosition();
            const seen = [first, second, lines.length].flatMap((end) => {
              position = next(position);
              return readOnce(position, lines, end);
            });
            assert.deepEqual(seen, lines, `broken after ${first} and ${second} lines`);
          }
        }
      });
    }
  }

  it('is read again from one second before the latest message', () => {
    const position = new LogPosition();
    assert.equal(position.restart(), undefined);
    readOnce(position, NANOSECONDS, 4);
    assert.equal(position.restart(), `${Date.UTC(2026, 10, 23, 3, 57, 44) / 1000}.620359010`);
    const whole = new LogPosition();
    readOnce(whole, WHOLE_SECONDS, 9);
    assert.equal(whole.restart(), `${Date.UTC(2026, 10, 23, 3, 57, 45) / 1000}.000000000`);
  });

  it('has a late line of the other stream, although its time is earlier', () => {
    const position = new LogPosition();
    const inTime = NANOSECONDS.slice(3, 4);
    const late = NANOSECONDS.slice(2, 3);
    readOnce(position, inTime, 1);
    assert.deepEqual(readOnce(position, [...late, ...inTime], 2), late);
  });

  it('resumes after a broken connection, and names an unexpected end', async () => {
    const bytes = framesOf(WHOLE_SECONDS);
    const sinces: (string | null)[] = [];
    const server = http.createServer((incoming, response) => {
      const since = new URL(incoming.url ?? '', 'http://engine').searchParams.get('since');
      sinces.push(since);
      if (since !== null) response.end(bytes);
      else response.write(bytes.subarray(0, bytes.length - 5), () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    afterwards(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const engine = engineAt(new EngineApi({ name: 'test', tls: false, options: { host: '127.0.0.1', port } }));
    const position = new LogPosition();
    const read = { position, follow: true, signal: new AbortController().signal };
    const seen: Line[] = [];
    await assert.rejects(
      async () => {
        for await (const message of readLog(engine, 'c1', read)) {
          position.pass(message);
          seen.push(lineOf(message));
        }
      },
      (error) => error instanceof EngineError && error.unreachable && error.message.includes('ended early'),
    );
    seen.push(...(await linesIn(readLog(engine, 'c1', read))));
    assert.deepEqual(seen, WHOLE_SECONDS);
    assert.deepEqual(sinces, [null, `${Date.UTC(2026, 10, 23, 3, 57, 45) / 1000}.000000000`]);
  });

  describe('has times', () => {
    const at = (stamp: string, now: number) => timeOf({ stream: 'stdout', stamp, bytes: new Uint8Array() }, now);
    const second = Date.UTC(2026, 10, 23, 3, 57, 45);

    it('of the engine', () => {
      assert.equal(at('2026-11-23T03:57:45.620359009Z', second + 60_000), second + 620);
      assert.equal(at('2026-11-23T05:57:45.620359009+02:00', second), second + 620);
    });

    it('that are now, or the end of their second, if they are whole seconds', () => {
      assert.equal(at('2026-11-23T03:57:45Z', second + 250), second + 250);
      assert.equal(at('2026-11-23T05:57:45+02:00', second + 5_000), second + 999);
      assert.equal(at('2026-11-23T03:57:45Z', second - 5_000), second, 'the clock of the engine is ahead');
    });

    it('only if the engine sends them', () => {
      assert.equal(at('no-time', second), undefined);
    });
  });
});

/** Reads the log from its position up to a number of lines. Returns the new ones. The start of an engine is inclusive. */
function readOnce(position: LogPosition, lines: readonly Line[], end: number): Line[] {
  const since = Number(position.restart() ?? 0) * 1000;
  return lines
    .slice(0, end)
    .filter(([, stamp]) => Date.parse(stamp) >= Math.floor(since))
    .filter(([stream, stamp, text]) => {
      const message = { stream, stamp, bytes: Buffer.from(text) };
      const isNew = !position.repeats(message);
      if (isNew) position.pass(message);
      return isNew;
    });
}
