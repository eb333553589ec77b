import assert from 'node:assert/strict';
import type { Arrangement } from '../../src/account/endpoints/arrangement.ts';
import { EndpointCache } from '../../src/account/endpoints/endpointCache.ts';
import type { TreeNode } from '../../src/account/endpoints/endpointNode.ts';
import { EndpointTree } from '../../src/features/endpoints/endpointTree.ts';
import { endpoint, worker } from '../features/endpoints/sample.ts';
import { report } from './compare.ts';

const ENDPOINTS = 1_000;
const WORKERS_EACH = 5;
const ROUNDS = 25;
const NOW = Date.parse('2026-03-01T12:00:00Z');

const arrangement: Arrangement = { filter: '', sort: 'name', group: 'none', favorites: new Set() };

/**
 * Measures a refresh of an expanded tree with 1,000 endpoints and 5,000 workers. A refresh starts with the responses and ends with the
 * rows that VS Code reads again. The alternative redraws the whole tree, as a simple provider does.
 */
export function run(): Promise<void> {
  for (const [name, changed] of [
    ['nothing', 0],
    ['1 worker', 1],
    ['20 endpoints', 20],
    ['all endpoints', ENDPOINTS],
  ] as const) {
    const tree = measure(changed, 'changed');
    const everything = measure(changed, 'all');
    assert.ok(tree.rows <= everything.rows);
    report({
      name: `${name} changed / full redraw`,
      unit: 'ms',
      ours: tree.times,
      alternative: everything.times,
      note: `${tree.rows} of ${everything.rows} rows drawn`,
    });
  }
  return Promise.resolve();
}

type Repaint = ReturnType<EndpointTree['update']>;

/**
 * Measures the time of each round, in ms, and the number of rows that VS Code reads in a round.
 *
 * @param draws whether each round redraws the changed rows or the whole tree
 */
function measure(changed: number, draws: 'changed' | 'all'): { times: number[]; rows: number } {
  const one = sampleData();
  one.draw('all');
  const times: number[] = [];
  let rows = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    // Without changes, the responses are equal in all rounds.
    const answers = Array.from({ length: changed === 0 ? ENDPOINTS : changed }, (_, index) => ({
      id: `e${index}`,
      workers: workersOf(index, changed === 0 ? 0 : round),
    }));
    const start = performance.now();
    const changes = answers.map(({ id, workers }) => one.cache.takeDetails(id, { workers }, round + 1, NOW));
    rows =
      draws === 'all' ? one.draw('all') : changes.reduce((sum, change) => sum + one.draw(one.drawn.update(change)), 0);
    times.push(performance.now() - start);
  }
  return { times, rows };
}

function sampleData() {
  const cache = new EndpointCache();
  const endpoints = Array.from({ length: ENDPOINTS }, (_, index) => ({
    ...endpoint,
    id: `e${index}`,
    name: `endpoint-${index}`,
  }));
  cache.takeList(endpoints, 0);
  for (const [index, { id }] of endpoints.entries()) cache.takeDetails(id, { workers: workersOf(index, 0) }, 1, NOW);
  const drawn = new EndpointTree({
    get endpoints() {
      return cache.snapshots;
    },
    find: (id) => cache.find(id),
    arrangement: () => arrangement,
    now: () => NOW,
  });
  /** Reads these rows and their expanded descendants, as VS Code does after a change event. */
  const read = (nodes: readonly TreeNode[]): number =>
    nodes.reduce((sum, node) => {
      assert.ok(drawn.row(node));
      return sum + 1 + (node.kind === 'endpoint' ? read(drawn.children(node)) : 0);
    }, 0);
  return { cache, drawn, draw: (what: Repaint) => read(what === 'all' ? drawn.children() : what) };
}

/** Returns five workers. The uptime of the first one differs in each round. */
function workersOf(index: number, round: number) {
  const list = Array.from({ length: WORKERS_EACH }, (_, number) =>
    worker(`w${index}-${number}`, 'IDLE', { uptimeSeconds: 100 + (number === 0 ? round * 60 : 0) }),
  );
  const summary = { running: 0, idle: WORKERS_EACH, initializing: 0, throttled: 0, unhealthy: 0, total: WORKERS_EACH };
  return { workers: list, summary, endpointVersion: 2 };
}
