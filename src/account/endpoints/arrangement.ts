import * as l10n from '@vscode/l10n';
import { CONDITIONS, conditionOf, isQueue, type Condition, type EndpointSnapshot } from './endpointSnapshot.ts';
import { conditionWords } from './words.ts';

/* Filtering, sorting, and grouping of the endpoints in the view. */

export const SORTS = ['name', 'state', 'newest'] as const;
export type Sort = (typeof SORTS)[number];

export const GROUPINGS = ['none', 'state', 'type', 'hardware'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Arrangement {
  /** Words that an endpoint must all contain. An empty string matches every endpoint. */
  readonly filter: string;
  readonly sort: Sort;
  readonly group: Grouping;
  /** IDs of the endpoints that always come first. */
  readonly favorites: ReadonlySet<string>;
}

export interface Group {
  /** Empty without grouping. */
  readonly name: string;
  readonly endpoints: readonly EndpointSnapshot[];
}

/** Returns whether every word of the filter occurs in an endpoint's name, ID, image, type, or state. */
export function matches(snapshot: EndpointSnapshot, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const { id, name, image = '', type = '' } = snapshot.endpoint;
  const text = [name, id, image, type, conditionWords[conditionOf(snapshot)]].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Filters, sorts, and groups the endpoints. Without grouping, a single group contains all of them. */
export function arrange(snapshots: readonly EndpointSnapshot[], arrangement: Arrangement): Group[] {
  const { filter, sort, group, favorites } = arrangement;
  const shown = filter.trim() === '' ? snapshots : snapshots.filter((snapshot) => matches(snapshot, filter));
  const ordered = shown
    .map((snapshot) => ({ snapshot, rank: favorites.has(snapshot.endpoint.id) ? 0 : 1 }))
    .sort((a, b) => a.rank - b.rank || compare(a.snapshot, b.snapshot, sort))
    .map(({ snapshot }) => snapshot);
  if (group === 'none') return [{ name: '', endpoints: ordered }];
  const byName = Map.groupBy(ordered, (snapshot) => groupOf(snapshot, group));
  return groupNames(byName.keys(), group).map((name) => ({ name, endpoints: byName.get(name) ?? [] }));
}

/** Returns the name of an endpoint's group, or an empty string without grouping. */
export function groupOf(snapshot: EndpointSnapshot, group: Grouping): string {
  const { endpoint } = snapshot;
  switch (group) {
    case 'none':
      return '';
    case 'state':
      return conditionWords[conditionOf(snapshot)];
    case 'type':
      return isQueue(endpoint) ? l10n.t('queue') : l10n.t('load-balanced');
    case 'hardware':
      return endpoint.cpu ? 'CPU' : l10n.t`GPU ${(endpoint.gpu?.pools ?? []).join(', ')}`.trim();
  }
}

/** Sorts states by urgency and other group names alphabetically. */
function groupNames(names: Iterable<string>, group: Grouping): string[] {
  const order = CONDITIONS.map((condition) => conditionWords[condition]);
  const sorted = [...names].sort(compareNames);
  return group === 'state' ? sorted.sort((a, b) => order.indexOf(a) - order.indexOf(b)) : sorted;
}

/** Shared, because a collator is much faster than `localeCompare`. It sorts "hello-10" after "hello-9". */
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

const urgency = Object.fromEntries(CONDITIONS.map((condition, index) => [condition, index])) as Record<
  Condition,
  number
>;

/** Number of leading characters of a name that are compared. A row shows fewer. */
const LONGEST_COMPARED = 300;

/** Compares two names in natural order. */
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
  // Names are not unique. Comparing the IDs as well keeps the order stable.
  return first || compareNames(a.endpoint.name, b.endpoint.name) || (a.endpoint.id < b.endpoint.id ? -1 : 1);
}
