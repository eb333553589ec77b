// A load generator on raw sockets, which costs less than an HTTP client. Reads a `GeneratedLoad` and then numbers of requests from
// standard input, one per line. Sends that many requests, and writes a `GeneratedRound`.
import { once } from 'node:events';
import { connect } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { GeneratedLoad, GeneratedRound } from './startGenerator.ts';

const END_OF_HEAD = '\r\n\r\n';
/** Position of the first digit of the status, and the digit of a successful response. */
const STATUS_AT = 'HTTP/1.1 '.length;
const SUCCESS = '2'.charCodeAt(0);

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const load = JSON.parse((await lines.next()).value as string) as GeneratedLoad;
const { hostname, port } = new URL(load.url);
const message = messageOf(load);
for await (const line of lines) console.log(JSON.stringify(await round(Number(line))));

function messageOf({ url, headers, body }: GeneratedLoad): Buffer {
  const { host, pathname, search } = new URL(url);
  const fields = { Host: host, ...headers, 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

async function round(requests: number): Promise<GeneratedRound> {
  // Each round has new connections, because servers close idle ones.
  const lanes = await Promise.all(Array.from({ length: load.concurrency }, openLane));
  let left = requests;
  const usageBefore = process.cpuUsage();
  const start = performance.now();
  await Promise.all(lanes.map(({ send }) => send(() => left-- > 0)));
  const duration = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(usageBefore);
  for (const { close } of lanes) close();
  return { duration, processorTime: (user + system) / 1e6 };
}

/** Opens a connection that sends one request after another. */
async function openLane() {
  const socket = connect(Number(port), hostname).setNoDelay();
  await once(socket, 'connect');
  let onAnswer = (): void => undefined;
  let rest = Buffer.alloc(0);
  let usual = 0;
  socket.on('data', (chunk) => {
    rest = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    // A successful response of the length of the last one is not examined, because that would take half of the time.
    const end = rest.byteLength === usual && rest[STATUS_AT] === SUCCESS ? usual : endOfAnswer(rest);
    if (end === undefined) return;
    usual = end;
    rest = rest.subarray(end);
    onAnswer();
  });
  const onEnd = (): void => {
    throw new Error('The server closed a connection.');
  };
  socket.on('end', onEnd);
  return {
    send: (isWanted: () => boolean) =>
      new Promise<void>((resolve) => {
        onAnswer = () => {
          if (isWanted()) socket.write(message);
          else resolve();
        };
        onAnswer();
      }),
    close: () => socket.off('end', onEnd).destroy(),
  };
}

/** Returns the length of the response, or undefined if it is incomplete. @throws Error for a status other than 200 */
function endOfAnswer(bytes: Buffer): number | undefined {
  const headLength = bytes.indexOf(END_OF_HEAD);
  if (headLength === -1) return undefined;
  const head = bytes.toString('latin1', 0, headLength);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(`Unexpected response: ${head}`);
  const end = headLength + END_OF_HEAD.length + Number(length);
  return bytes.byteLength >= end ? end : undefined;
}
