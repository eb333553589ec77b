import assert from 'node:assert/strict';
import type { Arrangement } from '../../../src/account/endpoints/arrangement.ts';
import { EndpointCache } from '../../../src/account/endpoints/endpointCache.ts';
import { nodeId, type TreeNode } from '../../../src/account/endpoints/endpointNode.ts';
import { EndpointTree, type Repaint } from '../../../src/features/endpoints/endpointTree.ts';
import { named, NOW, releases, worker, workers } from './sample.ts';

const plain: Arrangement = { filter: '', sort: 'name', group: 'none', favorites: new Set() };

function tree(changes: Partial<Arrangement> = {}) {
  const cache = new EndpointCache();
  let arrangement = { ...plain, ...changes };
  let round = 0;
  const drawn = new EndpointTree({
    get endpoints() {
      return cache.snapshots;
    },
    find: (id) => cache.find(id),
    arrangement: () => arrangement,
    now: () => NOW,
  });
  const ids = (what: Repaint | readonly TreeNode[]) => (what === 'all' ? 'all' : what.map(nodeId));
  return {
    drawn,
    list: (...endpoints: ReturnType<typeof named>[]) => ids(drawn.update(cache.takeList(endpoints, ++round))),
    workers: (id: string, list: ReturnType<typeof workers>) =>
      ids(drawn.update(cache.takeDetails(id, { workers: list }, ++round, NOW))),
    details: (id: string, details: Parameters<typeof cache.takeDetails>[1]) =>
      ids(drawn.update(cache.takeDetails(id, details, ++round, NOW))),
    arrange: (next: Partial<Arrangement>) => {
      arrangement = { ...arrangement, ...next };
      return drawn.rearranged();
    },
    /** Returns the ids of all nodes, read as VS Code reads a fully expanded tree. */
    all: () => {
      const open = (nodes: readonly TreeNode[]): string[] =>
        nodes.flatMap((node) => [nodeId(node), ...open(drawn.children(node))]);
      return open(drawn.children());
    },
    top: () => drawn.children().map(nodeId),
  };
}

describe('Endpoint tree', () => {
  it('sorts endpoints by name, each with its workers and releases', () => {
    const { list, details, all } = tree();
    list(named('hello-10'), named('hello-9'));
    details('hello-9', { workers: workers('IDLE'), releases });
    assert.deepEqual(all(), [
      'hello-9',
      'hello-9/workers/w1',
      'hello-9/releases',
      'hello-9/releases/r2',
      'hello-9/releases/r1',
      'hello-10',
      'hello-10/releases',
    ]);
  });

  it('renders everything again only after the order of the endpoints has changed', () => {
    const { list, all } = tree();
    assert.equal(list(named('a')), 'all');
    all();
    assert.equal(list(named('a'), named('b')), 'all');
    all();
    assert.deepEqual(list(named('b'), named('a')), []);
    assert.equal(list(named('b')), 'all');
  });

  it('renders an endpoint again after a change of its row or its set of workers', () => {
    const { list, workers: take, all } = tree();
    list(named('a'), named('b'));
    take('a', workers('INITIALIZING'));
    all();
    assert.deepEqual(take('a', workers('RUNNING')), ['a']);
    assert.deepEqual(take('a', workers('RUNNING', 'RUNNING')), ['a']);
    assert.deepEqual(list({ ...named('a'), workers: { min: 1, max: 9 } }, named('b')), []);
  });

  it('renders only the changed worker again', () => {
    const { list, workers: take, all } = tree();
    list(named('a'));
    const two = workers('IDLE', 'IDLE');
    take('a', two);
    all();
    const older = { ...two, workers: [worker('w1'), worker('w2', 'IDLE', { uptimeSeconds: 300 })] };
    assert.deepEqual(take('a', older), ['a/workers/w2']);
    assert.deepEqual(take('a', older), []);
  });

  it('ignores workers that are not on the screen', () => {
    const { list, workers: take, drawn } = tree();
    list(named('a'));
    take('a', workers('IDLE'));
    drawn.children();
    const two = { ...workers('IDLE'), workers: [worker('w1', 'IDLE', { uptimeSeconds: 300 })] };
    assert.deepEqual(take('a', two), []);
  });

  it('keeps the same object for each node', () => {
    const { list, workers: take, drawn } = tree();
    list(named('a'));
    const [before] = drawn.children();
    take('a', workers('RUNNING'));
    list(named('a'), named('b'));
    assert.equal(drawn.children()[0], before);
  });

  it('shows only endpoints that match every word, and counts them', () => {
    const { list, workers: take, arrange, top, drawn } = tree();
    list(named('hello-a'), named('hello-b'), { ...named('other'), image: 'example/hello:1' });
    take('hello-b', workers('IDLE'));
    arrange({ filter: 'HELLO' });
    assert.deepEqual(top(), ['hello-a', 'hello-b', 'other']);
    arrange({ filter: 'hello idle' });
    assert.deepEqual(top(), ['hello-b']);
    assert.equal(drawn.shown, 1);
  });

  it('shows an endpoint once it matches the filter', () => {
    const { list, workers: take, arrange, top } = tree();
    list(named('a'), named('b'));
    arrange({ filter: 'idle' });
    assert.deepEqual(top(), []);
    assert.equal(take('a', workers('IDLE')), 'all');
    assert.deepEqual(top(), ['a']);
  });

  it('sorts favorites first, and sorts by urgency or age on request', () => {
    const { list, workers: take, arrange, top } = tree();
    list(named('a'), named('b'), { ...named('c'), createdAt: '2026-02-02T00:00:00Z' });
    take('b', workers('UNHEALTHY'));
    arrange({ favorites: new Set(['c']) });
    assert.deepEqual(top(), ['c', 'a', 'b']);
    arrange({ favorites: new Set(), sort: 'state' });
    assert.deepEqual(top(), ['b', 'a', 'c']);
    arrange({ sort: 'newest' });
    assert.deepEqual(top(), ['c', 'a', 'b']);
  });

  it('groups endpoints, and moves an endpoint to its new group', () => {
    const { list, workers: take, all, drawn } = tree({ group: 'state' });
    list(named('a'), named('b'));
    take('a', workers('IDLE'));
    take('b', workers('IDLE'));
    assert.deepEqual(all().slice(0, 2), ['group:idle', 'a']);
    assert.equal(take('b', workers('UNHEALTHY')), 'all');
    assert.deepEqual(
      drawn.children().map((node) => drawn.row(node)?.label),
      ['Unhealthy', 'Idle'],
    );
    const [group] = drawn.children();
    assert.ok(group);
    const [child] = drawn.children(group);
    assert.ok(child);
    assert.equal(drawn.parent(child), group);
  });

  it('shows why the workers of an endpoint could not be read', () => {
    const { list, details, drawn } = tree();
    list(named('a'));
    details('a', { workers: undefined, problem: 'access denied' });
    const [endpoint] = drawn.children();
    assert.ok(endpoint);
    const [problem] = drawn.children(endpoint);
    assert.ok(problem);
    assert.equal(drawn.row(problem)?.description, 'access denied');
  });

  it('compares only the visible part of long names', () => {
    const { list, top } = tree();
    const long = 'x'.repeat(10_000);
    list(named('a', { name: `${long}2` }), named('b', { name: `${long}1` }));
    assert.deepEqual(top(), ['a', 'b']);
  });

  it('shows each row once if the platform lists it twice', () => {
    const { list, workers: take, all } = tree();
    list(named('a'), named('a'));
    const { workers: known, ...rest } = workers('IDLE');
    take('a', { ...rest, workers: [...known, ...known] });
    assert.deepEqual(all(), ['a', 'a/workers/w1', 'a/releases']);
  });

  it('has different ids for endpoints with similar ids', () => {
    const { list, all } = tree();
    list(named('a'), named('a/releases'));
    assert.equal(new Set(all()).size, 4);
  });

  it('has row ids that cannot contain a link', () => {
    const id = '[Fix](command:workbench.action.terminal.new) $(flame)\u202e\ud800';
    const { list, workers: take, all } = tree();
    list(named(id));
    take(id, { ...workers(), workers: [worker(id)] });
    assert.equal(all().length, 3);
    for (const row of all()) assert.match(row, /^[\w%!~*'().:/-]*$/);
  });
});
