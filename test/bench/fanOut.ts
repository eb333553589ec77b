import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { startChild } from './children.ts';
import { measureInTurns, report } from './compare.ts';
import {
  LINE,
  logRequest,
  startLogPlatform,
  startPrinter,
  type LogPlatform,
  type StreamRequest,
} from './logPrinter.ts';
import { startNode } from './node.ts';

const ROUNDS = 5;
const READERS = 100;
const LINES = 10_000;

/** Compares the rate at which many readers receive the lines of one worker with a bare writer of the same events. */
export async function run(): Promise<void> {
  const platform = await startLogPlatform();
  try {
    const rates = await measureInTurns({ bare: bareRate, stored: () => platformRate(platform) }, ROUNDS);
    report({
      name: `live lines to ${READERS} readers, stored / bare node:http`,
      unit: 'events/s',
      ours: rates.stored,
      alternative: rates.bare,
    });
  } finally {
    await platform.stop();
  }
}

async function bareRate(): Promise<number> {
  const bare = startNode(['--input-type=module', '--eval', bareWriter()]);
  try {
    const url = await bare.firstLine;
    return await eventsPerSecond({ url, headers: {} }, () => fetch(`${url}go`));
  } finally {
    await bare.stop();
  }
}

async function platformRate(platform: LogPlatform): Promise<number> {
  const worker = await startPrinter(platform, LINES);
  const rate = await eventsPerSecond(logRequest(platform, worker, { source: 'container', tail: 0 }), worker.go);
  await worker.stop();
  return rate;
}

/** Returns the code of a server that writes the same events to all connected readers, with backpressure. A request for `/go` starts it. */
function bareWriter(): string {
  return `
    import { createServer } from 'node:http';
    const responses = [];
    const writeAll = (response, from) => {
      while (from <= ${LINES}) {
        const page = pages[(from - 1) / 500];
        from += 500;
        if (!response.write(page)) return response.once('drain', () => writeAll(response, from));
      }
    };
    const pages = [];
    const server = createServer((request, response) => {
      if (request.url !== '/go') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.flushHeaders();
        responses.push(response);
        return;
      }
      for (let line = 1; line <= ${LINES}; line += 500) {
        let page = '';
        for (let index = line; index < line + 500; index++) {
          const ts = new Date().toISOString().slice(0, -1) + '000000Z';
          page += 'id: ' + ts + '\\ndata: ' + JSON.stringify({ source: 'container', line: '${LINE} ' + index, ts }) + '\\n\\n';
        }
        pages.push(Buffer.from(page));
      }
      for (const response of responses) writeAll(response, 1);
      response.end();
    });
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port + '/'));
    process.stdin.on('end', () => process.exit()).resume();
  `;
}

/** Measures the events per second that all readers receive together, starting at the first event. */
async function eventsPerSecond(request: StreamRequest, go: () => Promise<unknown>): Promise<number> {
  const script = path.join(import.meta.dirname, 'logReaders.mjs');
  const readers = startChild(process.execPath, [script, String(READERS), String(LINES)], {
    errors: 'inherit',
    end: (child) => void child.kill(),
  });
  readers.process.stdin.write(JSON.stringify(request));
  const lines: string[] = [];
  for await (const line of createInterface({ input: readers.process.stdout })) {
    lines.push(line);
    if (line === 'connected') await go();
  }
  await readers.stop();
  const seconds = Number(lines[1]);
  if (!(seconds > 0)) throw new Error('the readers did not receive all events');
  return (READERS * LINES) / seconds;
}
