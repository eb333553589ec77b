import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/client/clock.ts';
import { ExchangeFiles, type Folder } from '../../../../src/features/requests/history/exchangeFiles.ts';
import { RequestHistoryStore } from '../../../../src/features/requests/history/requestHistoryStore.ts';
import type { ResolvedRequest } from '../../../../src/features/requests/model/httpFile.ts';
import { responseContent } from '../../../../src/features/requests/responses/responseContent.ts';
import { ExchangeStore } from '../../../../src/features/requests/send/exchangeStore.ts';
import { record } from '../../../../src/features/requests/send/record.ts';
import { memento } from '../../jobs/memento.ts';

const request: ResolvedRequest = {
  ...{ name: 'one', endpointId: 'e', endpointName: 'hello', endpointType: 'LOAD_BALANCER', method: 'GET' },
  ...{ path: '/a?token=hunter2', headers: [], body: undefined },
};
const head = {
  ...{ status: 200, statusText: 'OK', workerId: 'w', firstByteMs: 1 },
  headers: [
    { name: 'content-type', value: 'text/plain' },
    { name: 'set-cookie', value: 'session=hunter3' },
  ],
};

function session(storage = memento(), files = new Map<string, Uint8Array>()) {
  const folder: Folder = {
    read: (name) => Promise.resolve(files.get(name)),
    write: (name, content) => Promise.resolve(void files.set(name, content)),
    remove: (name) => Promise.resolve(void files.delete(name)),
    list: () => Promise.resolve([...files].map(([name, { length }]) => ({ name, size: length, mtime: 0 }))),
  };
  const exchanges = new ExchangeStore();
  const requests = new RequestHistoryStore(storage);
  const filesOf = () => new ExchangeFiles(folder);
  const log = { warn: (text: string, cause: unknown) => assert.fail(`${text}: ${String(cause)}`) } as never;
  const sources = { exchanges, requests, filesOf, log };
  const text = async (requestId: string, content: 'response' | 'log' | 'body') => {
    const shown = await responseContent(sources, { connectionId: 'c', requestId, content });
    return shown instanceof Uint8Array ? new TextDecoder().decode(shown) : shown;
  };
  const restarted = () => session(storage, files);
  const stored = () =>
    [
      ...storage.keys().map((key) => JSON.stringify(storage.get(key))),
      ...[...files.values()].map((bytes) => new TextDecoder().decode(bytes)),
    ].join();
  return { ...sources, text, restarted, stored, files };
}

const start = (exchanges: ExchangeStore, changes: Partial<ResolvedRequest> = {}) =>
  exchanges.start({ ...request, ...changes }, { connectionId: 'c', file: 'file:///a.http' }, systemClock.now());

describe('The content of a response document', () => {
  it('is the same after a restart, without secrets', async () => {
    const before = session();
    const exchange = start(before.exchanges);
    await record(before, exchange);
    exchange.begin(head);
    exchange.receive(new TextEncoder().encode('hello'));
    exchange.end({ kind: 'complete' }, 5);
    await record(before, exchange);
    const live = (await before.text(exchange.id, 'response')) ?? '';
    assert.match(live, /set-cookie: session=hunter3[^]*\n\nhello$/);
    const after = before.restarted();
    assert.equal(await after.text(exchange.id, 'response'), live.replace('set-cookie: session=hunter3\n', ''));
    assert.equal(await after.text(exchange.id, 'body'), 'hello');
    assert.ok(!before.stored().includes('hunter'));
  });

  it('explains a body that was not stored, and a request that was interrupted or removed', async () => {
    const before = session();
    const exchange = start(before.exchanges);
    exchange.begin(head);
    exchange.receive(new Uint8Array(300 * 1024).fill(65));
    exchange.end({ kind: 'complete' }, 5);
    await record(before, exchange);
    const after = before.restarted();
    assert.match((await after.text(exchange.id, 'response')) ?? '', /300 KB[^]*The body is no longer available\./);
    assert.equal(await after.text(exchange.id, 'body'), undefined);

    const waiting = start(before.exchanges);
    await record(before, waiting);
    assert.match((await before.text(waiting.id, 'response')) ?? '', /Waiting for the response…/);
    assert.match((await after.text(waiting.id, 'response')) ?? '', /The editor closed before a response arrived\./);
    assert.match((await after.text('unknown', 'response')) ?? '', /no longer in the list/);
  });

  it('of a WebSocket is its log, also after a restart', async () => {
    const before = session();
    const exchange = start(before.exchanges, { method: 'WEBSOCKET', path: '/socket?token=hunter2' });
    assert.match(
      (await before.text(exchange.id, 'log')) ?? '',
      /^# WEBSOCKET \/socket\?token=… · hello · connecting…\n/,
    );
    exchange.begin({ ...head, status: 101 });
    exchange.log?.message(0, 'sent', 'hello');
    exchange.end({ kind: 'complete' }, 5);
    await record(before, exchange);
    assert.match((await before.text(exchange.id, 'log')) ?? '', /· closed · worker w\n\n.* → 5 B {2}hello\n$/);
    assert.match((await before.restarted().text(exchange.id, 'log')) ?? '', /→ 5 B {2}hello\n$/);
  });
});

describe('The requests of a session', () => {
  it('are canceled when they are removed and at its end', () => {
    const { exchanges } = session();
    const [one, two] = [start(exchanges), start(exchanges)];
    assert.deepEqual(
      exchanges.active('c').map(({ id }) => id),
      [two.id, one.id],
    );
    assert.deepEqual([exchanges.active('d'), exchanges.find('d', one.id)], [[], undefined]);
    exchanges.remove([one.id]);
    assert.ok(one.signal.aborted && !two.signal.aborted);
    exchanges.dispose();
    assert.ok(two.signal.aborted);
  });

  it('release the memory of old bodies', () => {
    const { exchanges } = session();
    const large = Array.from({ length: 4 }, () => {
      const exchange = start(exchanges);
      exchange.begin(head);
      exchange.receive(new Uint8Array(50 * 1_048_576));
      exchange.end({ kind: 'complete' }, 1);
      return exchange;
    });
    assert.deepEqual(
      large.map(({ body }) => body !== undefined),
      [false, false, true, true],
    );
  });
});
