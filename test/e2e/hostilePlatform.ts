import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A long text with links, icons, markup, bidirectional controls, terminal escape sequences, and line breaks. */
export const HOSTILE_TEXT = [
  'Hostile',
  '[Fix](command:workbench.action.terminal.new)',
  '[docs](https://evil.example/docs "Documentation")',
  '[file](file:///etc/passwd)',
  '$(flame)',
  'www.evil.example https://evil.example/bare mail@evil.example <https://evil.example/auto>',
  '<img src=x onerror="document.title=1">',
  '![pixel](https://evil.example/pixel.png)',
  '`|` **bold** | cell |',
  '\u202egpj.exe\u202c \u2066isolated\u2069 \u200b',
  '\u001b[31mred\u001b[0m \u001b]8;;https://evil.example/osc\u0007osc\u001b]8;;\u0007',
  '\r\n\n\nsecond line',
  'x'.repeat(10_000),
].join(' ');

/** Response of the platform to requests. */
export type Behavior =
  /** All responses are errors with hostile text. */
  | 'fails'
  /** The platform rejects all keys with hostile text. */
  | 'refusesKeys'
  /** Requests succeed, except for changes. All names, ids, and errors are hostile. */
  | 'works';

export interface HostilePlatform {
  readonly address: string;
  behavior: Behavior;
  close(): void;
}

const ENDPOINT_ID = 'ep1';
/** Id of an endpoint with harmless text, which can be edited. */
const PLAIN_ID = 'ep2';

/** Id of a template whose endpoints run a command on the platform's machine. */
export const PROCESS_TEMPLATE_ID = 'tpl2';

/** Starts a server that implements the platform's interface and returns hostile text in all text fields. */
export async function startHostilePlatform(): Promise<HostilePlatform> {
  const server = createServer((request, response) => answer(platform.behavior, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const platform: HostilePlatform = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behavior: 'fails',
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return platform;
}

function answer(behavior: Behavior, request: IncomingMessage, response: ServerResponse): void {
  const send = (status: number, body: unknown) => {
    response.writeHead(status, { 'Content-Type': status < 400 ? 'application/json' : 'application/problem+json' });
    response.end(JSON.stringify(body));
  };
  const refuse = (status: number) =>
    send(status, { title: HOSTILE_TEXT, status, detail: HOSTILE_TEXT, errors: [`$.name: ${HOSTILE_TEXT}`] });
  request.resume();
  if (behavior === 'fails') {
    refuse(500);
    return;
  }
  const key = (request.headers.authorization ?? '').replace(/^Bearer ?/, '');
  if (key === '') {
    send(401, { title: 'Unauthorized', status: 401, detail: 'no key' });
    return;
  }
  if (behavior === 'refusesKeys') {
    refuse(401);
    return;
  }
  if (request.method === 'PATCH') {
    refuse(400);
    return;
  }
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  if (path.endsWith('/logs')) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const line = JSON.stringify({ source: 'container', line: HOSTILE_TEXT.slice(0, 600), ts: '2026-01-01T00:00:00Z' });
    response.write(`id: 1\ndata: ${line}\n\n`);
    return;
  }
  const found = Object.entries(answers).find(([end]) => path.endsWith(end));
  if (found) send(200, found[1]);
  else refuse(404);
}

const worker = {
  id: `worker1 ${HOSTILE_TEXT}`,
  status: 'UNHEALTHY',
  isStale: true,
  version: 3,
  gpuCount: 1,
  image: HOSTILE_TEXT,
  uptimeSeconds: 5,
  gpuTypeId: HOSTILE_TEXT,
  dataCenterId: HOSTILE_TEXT,
};

const endpoint = {
  id: ENDPOINT_ID,
  name: HOSTILE_TEXT,
  type: 'QUEUE',
  workers: { min: 0, max: 3, idleTimeout: 5 },
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  dataCenterIds: [HOSTILE_TEXT],
  networkVolumes: [],
  mounts: {},
  timeout: 600_000,
  flashboot: 'OFF',
  createdAt: '2026-01-01T00:00:00Z',
  gpu: { pools: [HOSTILE_TEXT], count: 1 },
  image: HOSTILE_TEXT,
  registry: 'reg1',
  env: { [HOSTILE_TEXT]: 'value' },
};

const plain = {
  ...endpoint,
  id: PLAIN_ID,
  name: 'harmless',
  dataCenterIds: [],
  gpu: { pools: ['ADA_24'], count: 1 },
  image: 'example/worker:1',
  registry: null,
  env: {},
};

const answers: Readonly<Record<string, unknown>> = {
  '/v2/serverless': { endpoints: [endpoint, plain] },
  [`/serverless/${PLAIN_ID}`]: plain,
  [`/serverless/${ENDPOINT_ID}`]: endpoint,
  '/workers': {
    workers: [worker],
    summary: { running: 0, idle: 0, initializing: 0, throttled: 0, unhealthy: 1, total: 1 },
    endpointVersion: 3,
  },
  '/releases': {
    releases: [
      {
        id: 'rel1',
        version: null,
        source: 'MANUAL',
        workerCount: 1,
        createdAt: '2026-01-01T00:00:00Z',
        diff: [{ field: HOSTILE_TEXT, old: HOSTILE_TEXT, new: HOSTILE_TEXT }],
      },
    ],
    rollout: { inProgress: false, workersOnLatest: 1, workersTotal: 1, percentOnLatest: 100 },
    endpointVersion: 3,
  },
  '/health': {
    jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 2, retried: 0 },
    workers: { idle: 0, running: 0, unhealthy: 1 },
  },
  '/run': { id: 'job1', status: 'IN_PROGRESS', output: HOSTILE_TEXT, workerId: HOSTILE_TEXT },
  '/status/job1': { id: 'job1', status: 'FAILED', error: HOSTILE_TEXT, workerId: HOSTILE_TEXT },
  '/v2/registries': { registries: [{ id: 'reg1', name: HOSTILE_TEXT }] },
  '/v2/templates': {
    templates: [
      { id: 'tpl1', name: HOSTILE_TEXT, image: HOSTILE_TEXT, args: HOSTILE_TEXT, serverless: true, registry: 'reg1' },
    ],
  },
  [`/templates/${PROCESS_TEMPLATE_ID}`]: {
    id: PROCESS_TEMPLATE_ID,
    name: 'a template',
    image: `process:/${HOSTILE_TEXT}`,
    serverless: true,
  },
  '/v2/network-volumes': {
    networkVolumes: [{ id: 'vol1', name: HOSTILE_TEXT, size: 10, dataCenter: HOSTILE_TEXT, type: HOSTILE_TEXT }],
  },
};
