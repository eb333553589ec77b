import type { Path } from '../../../contract/violation.ts';
import { durationWords } from './durationWords.ts';
import type { LiveValues } from './liveValues.ts';
import { nodeAt, stepsTo } from './locate.ts';
import { pricePerHour, priceRangePerHour } from './money.ts';
import type { ManifestNode, Span } from './node.ts';
import type { ParsedPart } from './parsed.ts';
import { listOf, referencesIn } from './references.ts';

/** A text that the editor shows after a value. */
export interface ManifestHint {
  readonly offset: number;
  readonly text: string;
  readonly tooltip?: string;
}

type Root = ManifestNode | undefined;

/** Returns the hints between two offsets: prices, durations, and the names of IDs. Values that are not known have no hint. */
export function inlayHints(parts: readonly ParsedPart[], values: LiveValues, { start, end }: Span): ManifestHint[] {
  return parts
    .filter((part) => part.start <= end && part.end >= start)
    .flatMap(({ root }) => [
      ...gpuHints(root, values),
      ...cpuHints(root, values),
      ...timeoutHints(root),
      ...dataCenterHints(root, values),
      ...nameHints(root, values),
    ])
    .filter(({ offset }) => offset >= start && offset <= end);
}

function gpuHints(root: Root, { gpus = [] }: LiveValues): ManifestHint[] {
  const count = Number(scalarAt(root, ['gpu', 'count']) ?? 1);
  if (!Number.isInteger(count) || count < 1) return [];
  const excluded = indexes(root, ['gpu', 'excludedTypes']).map((path) => String(scalarAt(root, path)).trim());
  return indexes(root, ['gpu', 'pools']).flatMap((path) => {
    const pool = scalarAt(root, path);
    const types = gpus.flatMap(({ id, name, pool: own, price }) =>
      own !== null && own === pool && price.serverless !== undefined && !excluded.includes(id)
        ? [{ name, price: price.serverless * count }]
        : [],
    );
    const prices = types.map(({ price }) => price);
    const each = types.map(({ name, price }) => `${name} ${pricePerHour(price)}`).join(', ');
    const tooltip = `Price of a running worker with ${count} ${count === 1 ? 'GPU' : 'GPUs'}: ${each}`;
    return hintAfter(root, path, priceRangePerHour(prices), tooltip);
  });
}

function cpuHints(root: Root, { cpus = [] }: LiveValues): ManifestHint[] {
  return indexes(root, ['cpu']).flatMap((path) => {
    const id = scalarAt(root, [...path, 'id']);
    const flavor = cpus.find((candidate) => candidate.id === id);
    if (!flavor) return [];
    const each = flavor.price.serverlessPerVcpu;
    const count = Number(scalarAt(root, [...path, 'vcpuCount']) ?? NaN);
    const at = [...path, 'id'];
    if (!Number.isInteger(count) || count < 1)
      return hintAfter(root, at, `${pricePerHour(each)} per vCPU`, 'Price of a running worker');
    const memory = count * flavor.ramGbPerVcpu;
    const tooltip = `Price of a running worker with ${count} vCPUs and ${memory} GB of memory, at ${pricePerHour(each)} per vCPU`;
    return hintAfter(root, at, pricePerHour(each * count), tooltip);
  });
}

function timeoutHints(root: Root): ManifestHint[] {
  const value = scalarAt(root, ['timeout']);
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  return isNumber ? hintAfter(root, ['timeout'], durationWords(Number(value))) : [];
}

function dataCenterHints(root: Root, { dataCenters = [] }: LiveValues): ManifestHint[] {
  return indexes(root, ['dataCenterIds']).flatMap((path) => {
    const id = scalarAt(root, path);
    const center = dataCenters.find((candidate) => candidate.id === id);
    return center && center.name !== id ? hintAfter(root, path, center.name) : [];
  });
}

function nameHints(root: Root, values: LiveValues): ManifestHint[] {
  return referencesIn(root).flatMap(({ kind, id, node, shared }) => {
    const name = listOf(values, kind)?.find((entry) => entry.id === id)?.name;
    return !shared && name !== undefined && name !== '' && name !== id ? [{ offset: node.end, text: name }] : [];
  });
}

/** Returns a hint after the value at a path. A value that is written at an anchor has its hint there. */
function hintAfter(root: Root, path: Path, text: string | undefined, tooltip?: string): ManifestHint[] {
  const step = stepsTo(root, path)[path.length];
  if (text === undefined || !step?.node || step.shared) return [];
  return [{ offset: step.node.end, text, ...(tooltip === undefined ? {} : { tooltip }) }];
}

function scalarAt(root: Root, path: Path) {
  const node = nodeAt(root, path);
  return node?.kind === 'scalar' ? node.value : undefined;
}

/** Returns the path of each item of a list. */
function indexes(root: Root, path: Path): Path[] {
  const node = nodeAt(root, path);
  return node?.kind === 'list' ? node.items.map((_, index) => [...path, index]) : [];
}
