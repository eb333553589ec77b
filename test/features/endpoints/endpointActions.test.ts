import assert from 'node:assert/strict';
import { stateKey } from '../../../src/kit/keyedState.ts';
import { deletionQuestion } from '../../../src/features/endpoints/model/deletion.ts';
import { curlCommand, requestUrl } from '../../../src/account/requestCode/requestExample.ts';
import { parseRange, rangeText, rangeWords } from '../../../src/features/endpoints/actions/scaleEndpoint.ts';
import { SYNCED_KEYS, ViewOptionsStore } from '../../../src/features/endpoints/viewOptionsStore.ts';
import { Emitter } from '../../../src/kit/emitter.ts';
import { memento } from '../jobs/memento.ts';
import { endpoint, health, named, snapshot, workers } from './sample.ts';

/** The connections of a window. One of them is current. */
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

describe('Confirmation of a deletion', () => {
  it('names the endpoint, and counts the jobs and workers that are deleted with it', () => {
    const given = snapshot(workers('RUNNING', 'IDLE'), { health: health({ inQueue: 3, inProgress: 1 }) });
    const { message, detail } = deletionQuestion([given]);
    assert.equal(message.text, 'Delete endpoint “hello”?');
    assert.match(detail.text, /^This also deletes 3 waiting jobs, 1 running job, 2 workers, and its releases\./);
    assert.match(detail.text, /cannot be undone/);
  });

  it('names the first ten endpoints and counts the others', () => {
    const several = Array.from({ length: 12 }, (_, index) => snapshot(workers(), { endpoint: named(`e${index}`) }));
    const { message, detail } = deletionQuestion(several);
    assert.equal(message.text, 'Delete 12 endpoints?');
    assert.match(detail.text, /• e0: its releases\n/);
    assert.match(detail.text, /• and 2 more/);
  });
});

describe('Range of workers', () => {
  for (const [text, range] of [
    ['0-3', { min: 0, max: 3 }],
    [' 1 – 5 ', { min: 1, max: 5 }],
    ['2 to 2', { min: 2, max: 2 }],
    ['0 0', { min: 0, max: 0 }],
  ] as const) {
    it(`is parsed from "${text}"`, () => assert.deepEqual(parseRange(text), range));
  }

  for (const [text, reason] of [
    ['', /such as 0-3/],
    ['3', /such as 0-3/],
    ['-1-3', /such as 0-3/],
    ['5-3', /greater than the maximum/],
    ['0-99999999999999999999', /too large/],
  ] as const) {
    it(`is not parsed from "${text}", with a reason`, () => {
      const read = parseRange(text);
      assert.match(typeof read === 'string' ? read : 'parsed', reason);
    });
  }

  it('is formatted so that it can be parsed, and has a description', () => {
    assert.deepEqual(parseRange(rangeText({ min: 1, max: 4 })), { min: 1, max: 4 });
    assert.match(rangeWords({ min: 0, max: 0 }), /Paused/);
    assert.match(rangeWords({ min: 1, max: 2 }), /billed even while idle/);
  });
});

describe('Copied request', () => {
  const url = 'https://api.example.com/v2/abc/run';

  it('contains a variable instead of the key, and quotes the URL for the shell', () => {
    const text = curlCommand(endpoint, "https://api.example.com/it's/run");
    assert.match(text, /^curl 'https:\/\/api\.example\.com\/it'\\''s\/run'/);
    assert.match(text, /"Authorization: Bearer \$CLOUD_COMPUTE_API_KEY"/);
    assert.match(text, /--data-raw '\{"input"/);
  });

  it('has no body for a load-balanced endpoint', () => {
    assert.doesNotMatch(curlCommand({ ...endpoint, type: 'LOAD_BALANCER' }, url), /--data/);
  });

  it('uses the URL that the service reports', () => {
    assert.equal(requestUrl({ requestUrls: { run: url, health: url } as never }), url);
    assert.equal(requestUrl({ requestUrls: { base: url, health: 'x' } }), url);
    assert.equal(requestUrl({ requestUrls: undefined }), undefined);
  });

  it('has no URL if the service reports anything but an HTTP URL', () => {
    // The first text ends a bracketed paste, so that a terminal would execute the rest.
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

describe('Options of the endpoints view', () => {
  const favoritesKey = stateKey('c1', 'endpoints.favorites');

  it('keep separate favorites for each connection', async () => {
    const connections = connected('c1');
    const options = new ViewOptionsStore(memento(), memento(), connections);
    await options.setFavorite('c1', ['a'], true);
    await options.setFavorite('c2', ['b'], true);
    assert.deepEqual([...options.arrangement.favorites], ['a']);
    let changes = 0;
    options.onDidChange(() => changes++);
    connections.switchTo('c2');
    assert.deepEqual([[...options.arrangement.favorites], changes], [['b'], 1]);
    connections.switchTo('c2');
    assert.equal(changes, 1, 'no event for a change of the same connection');
    connections.switchTo(undefined);
    assert.deepEqual([...options.arrangement.favorites], []);
  });

  it('are stored: order and favorites in the global state, the filter in the workspace', async () => {
    const [everywhere, here] = [memento(), memento()];
    const options = new ViewOptionsStore(everywhere, here, connected('c1'));
    await options.setOrder({ sort: 'state' });
    await options.setOrder({ group: 'type' });
    await options.setFilter('  hello ');
    await options.setFavorite('c1', ['a', 'b'], true);
    await options.setFavorite('c1', ['a'], false);
    assert.deepEqual(new ViewOptionsStore(everywhere, here, connected('c1')).arrangement, {
      sort: 'state',
      group: 'type',
      filter: 'hello',
      favorites: new Set(['b']),
    });
    assert.deepEqual(everywhere.keys().sort(), [...SYNCED_KEYS, favoritesKey].sort());
    assert.equal(new ViewOptionsStore(everywhere, memento(), connected('c1')).arrangement.filter, '');
  });

  it('do not store a filter while the user types it', () => {
    const here = memento();
    const options = new ViewOptionsStore(memento(), here, connected('c1'));
    let changes = 0;
    options.onDidChange(() => changes++);
    options.previewFilter('hel');
    assert.deepEqual([options.arrangement.filter, changes, here.keys()], ['hel', 1, []]);
  });

  it('have default values if the stored values are invalid', async () => {
    const everywhere = memento();
    for (const key of [...SYNCED_KEYS, favoritesKey]) await everywhere.update(key, { nonsense: true });
    const { sort, group, favorites } = new ViewOptionsStore(everywhere, memento(), connected('c1')).arrangement;
    assert.deepEqual([sort, group, favorites.size], ['name', 'none', 0]);
  });
});
