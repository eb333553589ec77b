import * as l10n from '@vscode/l10n';
import { pricePerHour } from '../../../account/prices/money.ts';
import { AVAILABILITY_LEVELS, type CpuType, type DataCenter, type GpuType } from '../../../contract/catalog.ts';
import { compareCudaVersions } from '../../../contract/catalogRules.ts';
import type { Reference } from '../../../contract/fieldFacts.ts';
import { powersOfTwo } from '../../../contract/hardwareRules.ts';
import { code, formatted, joinedMarkdown, table, type Markdown } from '../../../text/markdown.ts';
import type { LiveValues } from '../../../account/liveValues/liveValues.ts';
import type { Path } from '../../../contract/violation.ts';
import type { Draft } from './draft.ts';

/* The values that the connected platform offers for a field, with their facts. Names and IDs in them are foreign text. */

export interface LiveChoice {
  readonly value: string | number;
  /** Text of the list, such as the name of a template. */
  readonly label: string;
  readonly detail: string;
  readonly facts: Markdown;
  /** Whether the platform has none at the moment. */
  readonly unavailable: boolean;
}

/** Values of the manifest that restrict the choices. */
export interface Chosen {
  /** GPU pools of the endpoint. Empty if none is chosen. */
  readonly pools: readonly (string | undefined)[];
  /** CPU flavor of the same entry. */
  readonly flavor?: string | undefined;
}

/** Returns the choices in the order to offer them, or undefined if they have not been read. */
export function liveChoices(kind: Reference, live: LiveValues, chosen: Chosen): readonly LiveChoice[] | undefined {
  switch (kind) {
    case 'gpuPool':
      return live.gpus && poolChoices(live.gpus);
    case 'gpuType':
      return live.gpus && ofPools(live.gpus, chosen).map(gpuChoice);
    case 'cudaVersion':
      return live.gpus && cudaChoices(ofPools(live.gpus, chosen));
    case 'cpuFlavor':
      return live.cpus?.map(flavorChoice).sort(byAvailability);
    case 'vcpuCount': {
      const flavor = live.cpus?.find(({ id }) => id === chosen.flavor);
      return flavor && vcpuChoices(flavor);
    }
    case 'dataCenter':
      return live.dataCenters?.map(dataCenterChoice);
    case 'registry':
      return live.registries?.map(({ id, name }) => named(id, name, []));
    case 'template':
      return live.templates?.map(({ id, name, image }) =>
        named(id, name, image === undefined ? [] : [[l10n.t('Image'), code(image)]]),
      );
    case 'networkVolume':
      return live.networkVolumes?.map(({ id, name, size, dataCenter, type }) =>
        named(
          id,
          name,
          [
            [l10n.t('Size'), l10n.t`${size} GB`],
            [l10n.t('Data center'), code(dataCenter)],
            [l10n.t('Type'), words(type)],
          ],
          l10n.t` · ${size} GB · ${dataCenter}`,
        ),
      );
    case 'globalVolume':
      return live.globalVolumes?.map(({ id, name }) => named(id, name, []));
  }
}

type Fact = readonly [name: string, value: string | number | Markdown];

function factTable(heading: Markdown, facts: readonly Fact[]): Markdown {
  return facts.length === 0 ? heading : joinedMarkdown([heading, table(facts)], '\n\n');
}

function named(id: string, name: string, facts: readonly Fact[], more = ''): LiveChoice {
  return {
    value: id,
    label: name === '' ? id : name,
    detail: id + more,
    facts: factTable(formatted`**${name}**`, [['ID', code(id)], ...facts]),
    unavailable: false,
  };
}

/** Returns the types in the chosen pools, or all types that are in a pool. */
function ofPools(gpus: readonly GpuType[], { pools }: Chosen): GpuType[] {
  const types = gpus.filter(({ pool }) => pool !== null);
  const chosen = types.filter(({ pool }) => pools.includes(pool ?? undefined));
  return chosen.length > 0 ? chosen : types;
}

function poolChoices(gpus: readonly GpuType[]): LiveChoice[] {
  const pools = Map.groupBy(
    gpus.filter(({ pool }) => pool !== null),
    ({ pool }) => pool ?? '',
  );
  return [...pools]
    .map(([id, types]) => ({ id, types, price: Math.min(...types.map(priceOf)) }))
    .sort((one, other) => one.price - other.price)
    .map(({ id, types, price }) => {
      const stock = bestAvailability(types);
      const memory = rangeText(types.map((type) => type.memory));
      const rows = types.map((type) => [
        type.name,
        l10n.t`${type.memory} GB`,
        pricePerHour(priceOf(type)),
        words(type.availability ?? ''),
      ]);
      return {
        value: id,
        label: id,
        detail: details(
          l10n.t`${memory} GB`,
          `${types.length > 1 ? l10n.t('from ') : ''}${pricePerHour(price)}`,
          stockWords(stock),
        ),
        facts: joinedMarkdown(
          [formatted`**${id}**`, table(rows, ['GPU', l10n.t('Memory'), l10n.t('Price'), l10n.t('Availability')])],
          '\n\n',
        ),
        unavailable: stock === 'NONE',
      };
    })
    .sort(byAvailability);
}

function gpuChoice(type: GpuType): LiveChoice {
  const { id, name, pool, memory, availability } = type;
  return {
    value: id,
    label: id,
    detail: details(l10n.t`${memory} GB`, pricePerHour(priceOf(type)), pool ?? ''),
    facts: factTable(formatted`**${name}**`, [
      [l10n.t('Memory'), l10n.t`${memory} GB`],
      [l10n.t('Price'), pricePerHour(priceOf(type))],
      [l10n.t('Pool'), pool === null ? l10n.t('none') : code(pool)],
      ...availabilityFact(availability),
    ]),
    unavailable: availability === 'NONE',
  };
}

function cudaChoices(types: readonly GpuType[]): LiveChoice[] {
  const versions = Map.groupBy(
    types.flatMap(({ id, cudaVersions = [] }) => cudaVersions.map((version) => ({ id, ...version }))),
    ({ version }) => version,
  );
  return [...versions]
    .sort(([one], [other]) => compareCudaVersions(other, one))
    .map(([version, offers]) => {
      const hosts = offers.filter(({ available }) => available).map(({ id }) => id);
      return {
        value: version,
        label: version,
        detail: hosts.length > 0 ? l10n.t('available') : l10n.t('no host available'),
        facts: factTable(formatted`**CUDA ${version}**`, [
          [l10n.t('Available on'), hosts.length > 0 ? joinedMarkdown(hosts.map(code), ', ') : l10n.t('no host')],
        ]),
        unavailable: hosts.length === 0,
      };
    });
}

function flavorChoice({ id, name, vcpu, ramGbPerVcpu, price, availability }: CpuType): LiveChoice {
  const range = l10n.t`${vcpu.min} to ${vcpu.max}`;
  return {
    value: id,
    label: id,
    detail: details(
      l10n.t`${range} vCPUs`,
      l10n.t`${ramGbPerVcpu} GB per vCPU`,
      l10n.t`${pricePerHour(price.serverlessPerVcpu)} per vCPU`,
    ),
    facts: factTable(formatted`**${name}** ${code(id)}`, [
      ['vCPUs', range],
      [l10n.t('Memory'), l10n.t`${ramGbPerVcpu} GB per vCPU`],
      [l10n.t('Price'), l10n.t`${pricePerHour(price.serverlessPerVcpu)} per vCPU`],
      ...availabilityFact(availability),
    ]),
    unavailable: availability === 'NONE',
  };
}

function vcpuChoices({ id, vcpu, ramGbPerVcpu, price }: CpuType): LiveChoice[] {
  return powersOfTwo(vcpu.min, vcpu.max).map((count) => {
    const memory = l10n.t`${count * ramGbPerVcpu} GB`;
    const cost = pricePerHour(count * price.serverlessPerVcpu);
    return {
      value: count,
      label: String(count),
      detail: details(memory, cost),
      facts: factTable(formatted`**${count} vCPUs** of ${code(id)}`, [
        [l10n.t('Memory'), memory],
        [l10n.t('Price'), cost],
      ]),
      unavailable: false,
    };
  });
}

function dataCenterChoice({ id, name, region, networkVolumeTypes }: DataCenter): LiveChoice {
  return {
    value: id,
    label: id,
    detail: details(name, words(region)),
    facts: factTable(formatted`**${name}** ${code(id)}`, [
      [l10n.t('Region'), words(region)],
      [
        l10n.t('Network volumes'),
        networkVolumeTypes.length === 0 ? l10n.t('none') : networkVolumeTypes.map(words).join(', '),
      ],
    ]),
    unavailable: false,
  };
}

/** Returns the price of a worker in USD per hour. */
function priceOf({ price }: GpuType): number {
  return price.serverless ?? price.secure;
}

const LEVELS: readonly string[] = AVAILABILITY_LEVELS;

function bestAvailability(types: readonly GpuType[]): string | undefined {
  const levels = types.flatMap(({ availability }) => availability ?? []);
  return levels.sort((one, other) => LEVELS.indexOf(other) - LEVELS.indexOf(one))[0];
}

function stockWords(availability: string | undefined): string {
  if (availability === undefined) return '';
  return availability === 'NONE' ? l10n.t('not available') : l10n.t`${words(availability).toLowerCase()} availability`;
}

function availabilityFact(availability: string | undefined): Fact[] {
  return availability === undefined ? [] : [[l10n.t('Availability'), words(availability)]];
}

function byAvailability(one: LiveChoice, other: LiveChoice): number {
  return Number(one.unavailable) - Number(other.unavailable);
}

/** Formats a value of an enumeration, such as `North America`. */
function words(value: string): string {
  return value
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join(' ');
}

function rangeText(numbers: readonly number[]): string {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return low === high ? String(low) : l10n.t`${low} to ${high}`;
}

function details(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

/** Returns the choices of a manifest that restrict the live values at a path: its GPU pools, and the CPU flavor of the same entry. */
export function chosenAt({ gpu, cpu }: Draft, path: Path): Chosen {
  const index = path.at(-2);
  return { pools: gpu?.pools ?? [], flavor: typeof index === 'number' ? cpu?.[index]?.id : undefined };
}
