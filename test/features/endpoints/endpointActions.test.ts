import assert from 'node:assert/strict';
import { stateKey } from '../../../src/features/connections/connectionState.ts';
import { deletionQuestion } from '../../../src/features/endpoints/deletion.ts';
import { migrateFavourites } from '../../../src/features/endpoints/migrateFavourites.ts';
import { curlCommand, requestUrl } from '../../../src/features/endpoints/requestExample.ts';
import { parseRange, rangeText, rangeWords } from '../../../src/features/endpoints/scaleInput.ts';
import { SYNCED_KEYS, ViewOptionsStore } from '../../../src/features/endpoints/viewOptionsStore.ts';
import { Emitter } from '../../../src/vscode/emitter.ts';
import { memento } from '../jobs/memento.ts';
import { endpoint, health, named, snapshot, workers } from './sample.ts';

/** The connections of a window, of which one is current. */
function connected(id: string | undefined) {
  const changed = new Emitter<undefined>();
  return {
    profile: id === undefined ? undefined : { id },
    onDidChange: changed.event,
    switchTo(next: string | undefined) {
      this.profile = next === undefined ? undefined : { id: next };
      changed.fire(undefined);
    },
  };
}

describe('the question before a delete', () => {
  it('names the endpoint and says what goes with it', () => {
    const given = snapshot(workers('RUNNING', 'IDLE'), { health: health({ inQueue: 3, inProgress: 1 }) });
    const { message, detail } = deletionQuestion([given]);
    assert.equal(message.text, 'Delete endpoint “hello”?');
    assert.match(detail.text, /^With it go 3 waiting jobs, 1 running job, 2 workers and its releases\./);
    assert.match(detail.text, /cannot be undone/);
  });

  it('names every one of several, and counts those that are too many to name', () => {
    const several = Array.from({ length: 12 }, (_, index) => snapshot(workers(), { endpoint: named(`e${index}`) }));
    const { message, detail } = deletionQuestion(several);
    assert.equal(message.text, 'Delete 12 endpoints?');
    assert.match(detail.text, /• e0: its releases\n/);
    assert.match(detail.text, /• and 2 more/);
  });
});

describe('a range of workers', () => {
  for (const [text, range] of [
    ['0-3', { min: 0, max: 3 }],
    [' 1 – 5 ', { min: 1, max: 5 }],
    ['2 to 2', { min: 2, max: 2 }],
    ['0 0', { min: 0, max: 0 }],
  ] as const) {
    it(`is read from "${text}"`, () => assert.deepEqual(parseRange(text), range));
  }

  for (const [text, reason] of [
    ['', /such as 0-3/],
    ['3', /such as 0-3/],
    ['-1-3', /such as 0-3/],
    ['5-3', /more than the most/],
    ['0-99999999999999999999', /too many/],
  ] as const) {
    it(`is not read from "${text}", and says why`, () => {
      const read = parseRange(text);
      assert.match(typeof read === 'string' ? read : 'was read', reason);
    });
  }

  it('comes back as it was typed, and says what it means', () => {
    assert.deepEqual(parseRange(rangeText({ min: 1, max: 4 })), { min: 1, max: 4 });
    assert.match(rangeWords({ min: 0, max: 0 }), /Paused/);
    assert.match(rangeWords({ min: 1, max: 2 }), /costs also when idle/);
  });
});

describe('a request that is copied', () => {
  const url = 'https://api.example.com/v2/abc/run';

  it('holds a variable where the key belongs, and words a shell takes as they are', () => {
    const text = curlCommand(endpoint, "https://api.example.com/it's/run");
    assert.match(text, /^curl 'https:\/\/api\.example\.com\/it'\\''s\/run'/);
    assert.match(text, /"Authorization: Bearer \$CLOUD_COMPUTE_API_KEY"/);
    assert.match(text, /--data '\{"input"/);
  });

  it('of a load-balanced endpoint is a plain one', () => {
    assert.doesNotMatch(curlCommand({ ...endpoint, type: 'LOAD_BALANCER' }, url), /--data/);
  });

  it('goes where the service says', () => {
    assert.equal(requestUrl({ requestUrls: { run: url, health: url } as never }), url);
    assert.equal(requestUrl({ requestUrls: { base: url, health: 'x' } }), url);
    assert.equal(requestUrl({ requestUrls: undefined }), undefined);
  });

  it('has no URL when the service returns anything but a web address', () => {
    // The first text ends a bracketed paste, after which a terminal treats the rest as typed.
    for (const base of [
      '\x1b[201~\nreboot\n',
      `${url}\x1b[201~`,
      `${url}\nreboot`,
      'file:///etc/passwd',
      `${url}\u202e`,
    ])
      assert.equal(requestUrl({ requestUrls: { base, health: 'x' } }), undefined, JSON.stringify(base));
  });
});

describe('how a person wants to see the endpoints', () => {
  const favouritesKey = stateKey('c1', 'endpoints.favourites');

  it('has favourites of its own on each connection', async () => {
    const connections = connected('c1');
    const options = new ViewOptionsStore(memento(), memento(), connections);
    await options.setFavourite('c1', ['a'], true);
    await options.setFavourite('c2', ['b'], true);
    assert.deepEqual([...options.arrangement.favourites], ['a']);
    let told = 0;
    options.onDidChange(() => told++);
    connections.switchTo('c2');
    assert.deepEqual([[...options.arrangement.favourites], told], [['b'], 1]);
    connections.switchTo('c2');
    assert.equal(told, 1, 'nothing is told when the same connection changed');
    connections.switchTo(undefined);
    assert.deepEqual([...options.arrangement.favourites], []);
  });

  it('takes over the favourites of earlier releases once, on every connection', async () => {
    const everywhere = memento();
    const options = new ViewOptionsStore(everywhere, memento(), connected('c1'));
    await everywhere.update('cloudCompute.endpoints.favourites', ['a', 'b']);
    await options.setFavourite('c1', ['c'], true);
    const stored = { current: 'c1', hosted: [{ id: 'c1', baseUrl: 'https://api.example.com' }] };
    await migrateFavourites(everywhere, options, stored);
    assert.deepEqual([...options.arrangement.favourites], ['c', 'a', 'b']);
    assert.deepEqual(everywhere.get(stateKey('local', 'endpoints.favourites')), ['a', 'b']);
    assert.equal(everywhere.get('cloudCompute.endpoints.favourites'), undefined);
    await options.setFavourite('c1', ['a'], false);
    await migrateFavourites(everywhere, options, stored);
    assert.deepEqual([...options.arrangement.favourites], ['c', 'b']);
  });

  it('is remembered: order and favourites everywhere, the filter here', async () => {
    const [everywhere, here] = [memento(), memento()];
    const options = new ViewOptionsStore(everywhere, here, connected('c1'));
    await options.setOrder({ sort: 'state' });
    await options.setOrder({ group: 'type' });
    await options.setFilter('  hello ');
    await options.setFavourite('c1', ['a', 'b'], true);
    await options.setFavourite('c1', ['a'], false);
    assert.deepEqual(new ViewOptionsStore(everywhere, here, connected('c1')).arrangement, {
      sort: 'state',
      group: 'type',
      filter: 'hello',
      favourites: new Set(['b']),
    });
    assert.deepEqual(everywhere.keys().sort(), [...SYNCED_KEYS, favouritesKey].sort());
    assert.equal(new ViewOptionsStore(everywhere, memento(), connected('c1')).arrangement.filter, '');
  });

  it('does not remember a filter that is only being typed', () => {
    const here = memento();
    const options = new ViewOptionsStore(memento(), here, connected('c1'));
    let told = 0;
    options.onDidChange(() => told++);
    options.previewFilter('hel');
    assert.deepEqual([options.arrangement.filter, told, here.keys()], ['hel', 1, []]);
  });

  it('survives a storage that somebody else has written', async () => {
    const everywhere = memento();
    for (const key of [...SYNCED_KEYS, favouritesKey]) await everywhere.update(key, { nonsense: true });
    const { sort, group, favourites } = new ViewOptionsStore(everywhere, memento(), connected('c1')).arrangement;
    assert.deepEqual([sort, group, favourites.size], ['name', 'none', 0]);
  });
});
