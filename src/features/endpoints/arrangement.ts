import { CONDITIONS, conditionOf, isQueue, type Condition, type EndpointSnapshot } from './endpointSnapshot.ts';
import { conditionWords } from './words.ts';

/* Which endpoints are shown, and in what order and groups. */

export const SORTS = ['name', 'state', 'newest'] as const;
export type Sort = (typeof SORTS)[number];

export const GROUPINGS = ['none', 'state', 'type', 'hardware'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Arrangement {
  /** Words that all must occur; '' shows everything. */
  readonly filter: string;
  readonly sort: Sort;
  readonly group: Grouping;
  /** Ids. They come first, whatever the order. */
  readonly favourites: ReadonlySet<string>;
}

export interface Group {
  /** '' where nothing is grouped. */
  readonly name: string;
  readonly endpoints: readonly EndpointSnapshot[];
}

/** Whether every word occurs in what is shown of an endpoint. */
export function matches(snapshot: EndpointSnapshot, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const { id, name, image = '', type = '' } = snapshot.endpoint;
  const text = [name, id, image, type, conditionWords[conditionOf(snapshot)]].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The endpoints that the filter lets through, ordered, in groups that are not empty. */
export function arrange(snapshots: readonly EndpointSnapshot[], arrangement: Arrangement): Group[] {
  const { filter, sort, group, favourites } = arrangement;
  const shown = filter.trim() === '' ? snapshots : snapshots.filter((snapshot) => matches(snapshot, filter));
  const ordered = shown
    .map((snapshot) => ({ snapshot, rank: favourites.has(snapshot.endpoint.id) ? 0 : 1 }))
    .sort((a, b) => a.rank - b.rank || compare(a.snapshot, b.snapshot, sort))
    .map(({ snapshot }) => snapshot);
  if (group === 'none') return [{ name: '', endpoints: ordered }];
  const byName = Map.groupBy(ordered, (snapshot) => groupOf(snapshot, group));
  return groupNames(byName.keys(), group).map((name) => ({ name, endpoints: byName.get(name) ?? [] }));
}

/** Name of the group that an endpoint belongs to; '' where nothing is grouped. */
export function groupOf(snapshot: EndpointSnapshot, group: Grouping): string {
  const { endpoint } = snapshot;
  switch (group) {
    case 'none':
      return '';
    case 'state':
      return conditionWords[conditionOf(snapshot)];
    case 'type':
      return isQueue(endpoint) ? 'queue' : 'load-balanced';
    case 'hardware':
      return endpoint.cpu ? 'CPU' : `GPU ${(endpoint.gpu?.pools ?? []).join(', ')}`.trim();
  }
}

/** States by urgency, all else by name. */
function groupNames(names: Iterable<string>, group: Grouping): string[] {
  const order = CONDITIONS.map((condition) => conditionWords[condition]);
  const sorted = [...names].sort(compareNames);
  return group === 'state' ? sorted.sort((a, b) => order.indexOf(a) - order.indexOf(b)) : sorted;
}

/** Made once: a collator is far quicker than `localeCompare`, and puts "hello-10" after "hello-9". */
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

const urgency = Object.fromEntries(CONDITIONS.map((condition, index) => [condition, index])) as Record<
  Condition,
  number
>;

/** Number of leading characters of a name that the order considers: more than a row shows. */
const LONGEST_COMPARED = 300;

/** The order of two names, as people expect it. */
export function compareNames(a: string, b: string): number {
  return collator.compare(a.slice(0, LONGEST_COMPARED), b.slice(0, LONGEST_COMPARED));
}

function compare(a: EndpointSnapshot, b: EndpointSnapshot, sort: Sort): number {
  const first =
    sort === 'state'
      ? urgency[conditionOf(a)] - urgency[conditionOf(b)]
      : sort === 'newest'
        ? b.endpoint.createdAt.localeCompare(a.endpoint.createdAt)
        : 0;
  // Names need not be unique: the id decides, so that the order is the same each time.
  return first || compareNames(a.endpoint.name, b.endpoint.name) || (a.endpoint.id < b.endpoint.id ? -1 : 1);
}
