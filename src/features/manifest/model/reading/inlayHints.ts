import * as l10n from '@vscode/l10n';
import type { GpuType } from '../../../../contract/catalog.ts';
import { cachePerList, itemById } from '../../../../kit/cachePerList.ts';
import { durationText } from '../fields/fieldMarkdown.ts';
import type { LiveValues } from '../../../../account/liveValues/liveValues.ts';
import { environmentsOf, manifestIn } from '../patched/environmentsOf.ts';
import { itemsAt, stepAt, type Step } from '../text/locate.ts';
import { pricePerHour, priceRangePerHour } from '../../../../account/prices/money.ts';
import type { Span } from '../../../../text/span.ts';
import type { ParsedPart } from '../text/parsed.ts';
import type { ManifestNode } from '../text/node.ts';
import { listOf, referencesIn } from '../references.ts';

/** A text that the editor shows after a value. */
export interface ManifestHint {
  readonly offset: number;
  readonly text: string;
  readonly tooltip?: string;
}

type Root = ManifestNode | undefined;
type IsVisible = (step: Step | undefined) => boolean;

/** Returns the hints between two offsets: prices, durations, and the names of IDs. Values that are not known have no hint. */
export function inlayHints(parts: readonly ParsedPart[], values: LiveValues, { start, end }: Span): ManifestHint[] {
  // A value that is written at an anchor has its hint there.
  const isVisible: IsVisible = (step) =>
    step?.node !== undefined && !step.shared && step.node.end >= start && step.node.end <= end;
  const hints = parts
    .filter((part) => part.start <= end && part.end >= start)
    .flatMap(({ root }) => [root, ...environmentsOf(root).map((environment) => manifestIn(environment, root))])
    .flatMap((root) => [
      ...gpuHints(root, values, isVisible),
      ...cpuHints(root, values, isVisible),
      ...timeoutHints(root, isVisible),
      ...nameHints(root, values, isVisible),
    ]);
  // Environments repeat the hints of the manifest.
  return [...new Map(hints.toReversed().map((hint) => [hint.offset, hint])).values()].reverse();
}

const typesByPool = cachePerList((types: readonly GpuType[]) => Map.groupBy(types, ({ pool }) => pool));

function gpuHints(root: Root, { gpus = [] }: LiveValues, isVisible: IsVisible): ManifestHint[] {
  const count = Number(valueOf(stepAt(root, ['gpu', 'count'])) ?? 1);
  if (!Number.isInteger(count) || count < 1) return [];
  const excluded = new Set(itemsAt(root, ['gpu', 'excludedTypes']).map((step) => String(valueOf(step)).trim()));
  return itemsAt(root, ['gpu', 'pools'])
    .filter(isVisible)
    .flatMap((step) => {
      const pool = valueOf(step);
      const types = typeof pool === 'string' ? (typesByPool(gpus).get(pool) ?? []) : [];
      const priced = types.flatMap(({ id, name, price }) =>
        price.serverless === undefined || excluded.has(id) ? [] : [{ name, price: price.serverless * count }],
      );
      const each = priced.map(({ name, price }) => `${name} ${pricePerHour(price)}`).join(', ');
      const tooltip = l10n.t`Price of a running worker with ${count} ${count === 1 ? 'GPU' : 'GPUs'}: ${each}`;
      return hintAfter(step, priceRangePerHour(priced.map(({ price }) => price)), tooltip);
    });
}

function cpuHints(root: Root, { cpus = [] }: LiveValues, isVisible: IsVisible): ManifestHint[] {
  return itemsAt(root, ['cpu']).flatMap((item) => {
    const step = stepAt(item, ['id']);
    const id = valueOf(step);
    const flavor = typeof id === 'string' && isVisible(step) ? itemById(cpus, id) : undefined;
    if (!flavor) return [];
    const each = flavor.price.serverlessPerVcpu;
    const count = Number(valueOf(stepAt(item, ['vcpuCount'])) ?? NaN);
    if (!Number.isInteger(count) || count < 1)
      return hintAfter(step, l10n.t`${pricePerHour(each)} per vCPU`, l10n.t('Price of a running worker'));
    const memory = count * flavor.ramGbPerVcpu;
    const tooltip = l10n.t`Price of a running worker with ${count} vCPUs and ${memory} GB of memory, at ${pricePerHour(each)} per vCPU`;
    return hintAfter(step, pricePerHour(each * count), tooltip);
  });
}

function timeoutHints(root: Root, isVisible: IsVisible): ManifestHint[] {
  const step = stepAt(root, ['timeout']);
  const value = valueOf(step);
  return Number.isSafeInteger(value) && isVisible(step) ? hintAfter(step, durationText(Number(value), 'ms')) : [];
}

/** Returns the names of IDs: those of data centers, and those of resources of the account. */
function nameHints(root: Root, values: LiveValues, isVisible: IsVisible): ManifestHint[] {
  const written = [
    ...itemsAt(root, ['dataCenterIds']).map((step) => ({ step, list: values.dataCenters })),
    ...referencesIn(root).map(({ kind, ...step }) => ({
      step: { member: undefined, ...step },
      list: listOf(values, kind),
    })),
  ];
  return written.flatMap(({ step, list = [] }) => {
    const id = valueOf(step);
    const name = typeof id === 'string' && isVisible(step) ? itemById(list, id)?.name : undefined;
    return name === id ? [] : hintAfter(step, name);
  });
}

function hintAfter(step: Step | undefined, text: string | undefined, tooltip?: string): ManifestHint[] {
  if (!text || !step?.node) return [];
  return [{ offset: step.node.end, text, ...(tooltip === undefined ? {} : { tooltip }) }];
}

function valueOf(step: Step | undefined) {
  return step?.node?.kind === 'scalar' ? step.node.value : undefined;
}
