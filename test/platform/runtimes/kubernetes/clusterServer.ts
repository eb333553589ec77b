import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { manualClock, afterwards } from '../../support.ts';
import { KubernetesApi } from '../../../../src/platform/runtimes/kubernetes/kubernetesApi.ts';
import type { ClusterAccess } from '../../../../src/platform/runtimes/kubernetes/access/clusterAccess.ts';
import type { Clock } from '../../../../src/platform/time/clock.ts';

export type Answer = (response: ServerResponse, request: IncomingMessage, body: unknown) => void;

/** Kind of a request. */
export type Purpose =
  'events' | 'list' | 'watch' | 'log' | 'exec' | 'secrets' | 'create' | 'createSecret' | 'patchSecret' | 'delete';

/** A server in place of a cluster. It answers as a test says, and counts the requests. */
export interface ClusterServer {
  readonly access: ClusterAccess;
  readonly asked: string[];
  readonly answers: Record<Purpose, Answer>;
  count(purpose: Purpose): number;
  api(clock: Clock): KubernetesApi;
}

export const json =
  (body: unknown, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Sends the beginning of a response, and never its end. */
export const stalled =
  (beginning: string): Answer =>
  (response) =>
    void response.write(beginning);

/** A list of pods. */
export const pods = (...items: readonly object[]) => ({ metadata: { resourceVersion: '1' }, items });

export async function clusterServer(): Promise<ClusterServer> {
  const asked: string[] = [];
  const answers: ClusterServer['answers'] = {
    events: json({ message: 'no permission' }, 403),
    list: json(pods()),
    watch: stalled(' '),
    log: stalled(' '),
    exec: json({ message: 'not here' }, 404),
    secrets: json({ items: [] }),
    create: json({ metadata: { uid: '1' } }, 201),
    createSecret: json({}, 201),
    patchSecret: json({}),
    delete: json({}),
  };
  const server = http.createServer((request, response) => {
    const purpose = purposeOf(request);
    void bodyOf(request).then((body) => {
      asked.push(purpose === 'delete' ? `delete ${request.url?.split('/').slice(-2).join('/')}` : purpose);
      answers[purpose](response, request, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const access: ClusterAccess = {
    connection: { name: 'http://cluster', tls: false, options: { host: '127.0.0.1', port } },
    ...{ pathPrefix: '', namespace: 'n', renew: () => undefined },
  };
  return {
    ...{ access, asked, answers },
    count: (purpose) => asked.filter((one) => one === purpose).length,
    api: (clock) => new KubernetesApi(access, clock),
  };
}

function purposeOf({ method, url = '' }: IncomingMessage): Purpose {
  if (url.includes('/events')) return 'events';
  const isSecret = url.includes('/secrets');
  if (method === 'DELETE') return 'delete';
  if (method === 'PATCH') return 'patchSecret';
  if (method === 'POST') return isSecret ? 'createSecret' : 'create';
  if (isSecret) return 'secrets';
  if (url.includes('/log')) return 'log';
  if (url.includes('/exec?')) return 'exec';
  return url.includes('watch=true') ? 'watch' : 'list';
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const text = (await request.setEncoding('utf8').toArray()).join('');
  return text === '' ? undefined : JSON.parse(text);
}

/** A clock that advances on request, and tells the waits that are started. */
export function recordingClock() {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const waits: number[] = [];
  return {
    ...clock,
    waits,
    after: (ms: number, callback: () => void) => {
      waits.push(ms);
      return clock.after(ms, callback);
    },
  };
}
