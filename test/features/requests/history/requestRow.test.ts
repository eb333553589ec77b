import assert from 'node:assert/strict';
import type { StoredRequest } from '../../../../src/features/requests/history/requestHistoryStore.ts';
import { requestRow, type Running } from '../../../../src/features/requests/history/requestRow.ts';
import { findInFile } from '../../../../src/features/requests/history/requestText.ts';
import { parseHttpFile } from '../../../../src/features/requests/model/parseHttpFile.ts';

const request = (changes: Partial<StoredRequest> = {}): StoredRequest => ({
  ...{ id: '1', endpointId: 'e', endpointName: 'hello', endpointType: 'LOAD_BALANCER', method: 'GET', path: '/a?b=1' },
  ...{ sentAt: 0, end: 'complete', status: 200, totalMs: 124, size: 5 },
  ...changes,
});
const NOW = 3 * 60_000;
const row = (changes: Partial<StoredRequest> = {}, running?: Partial<Running>) =>
  requestRow(request(changes), running && ({ isActive: true, size: 1_229, ...running } as Running), NOW);

describe('A row of the requests view', () => {
  it('shows the status, the time, and the age', () => {
    assert.deepEqual(row(), {
      ...{ label: 'GET /a?b=1', description: '200 · 124 ms · 3 min ago', icon: 'pass' },
      ...{ color: 'testing.iconPassed', contextValue: 'request' },
    });
    assert.equal(row({ name: 'models' }).label, 'models');
  });

  it('has an icon for each class of statuses and each end', () => {
    const icons = [{ status: 302 }, { status: 404 }, { status: 500 }, { end: 'cut' }, { end: 'canceled' }] as const;
    assert.deepEqual(
      icons.map((changes) => row(changes).icon),
      ['arrow-right', 'warning', 'error', 'error', 'circle-slash'],
    );
    const { end: _, ...interrupted } = request();
    assert.match(requestRow(interrupted, undefined, NOW).description, /^interrupted/);
    assert.match(row({ end: 'cut' }).description, /^200 · cut off · 124 ms/);
    assert.match(row({ method: 'WEBSOCKET', status: 101 }).description, /^closed · 124 ms/);
  });

  it('is live while the request runs', () => {
    assert.deepEqual(row({}, {}).description, 'waiting…');
    const head = { status: 200, statusText: '', headers: [], workerId: undefined, firstByteMs: 1 };
    assert.deepEqual(
      [row({}, { head }).description, row({}, { head }).contextValue, row({}, { head }).icon],
      ['200 · receiving 1.3 KB', 'request.active', 'sync~spin'],
    );
  });
});

describe('A sent request in its file', () => {
  const find = (text: string, changes: Partial<StoredRequest>) =>
    findInFile(parseHttpFile(text).blocks, request(changes))?.url;

  it('is found by its name, or else by its method and path', () => {
    const text = '### one\nGET x/a\n\n### two\nPOST x/a?b=1\n\n### three\nGET y/a?b=1\n';
    assert.equal(find(text, { name: 'one' }), 'x/a');
    assert.equal(find(text, {}), 'y/a?b=1');
    assert.equal(find(text, { path: '/a?b=…' }), 'x/a');
    assert.equal(find(text, { method: 'POST', path: '/other' }), 'x/a?b=1');
    assert.equal(find(text, { method: 'PUT' }), undefined);
  });
});
