import * as l10n from '@vscode/l10n';
import { isScalar, LineCounter, parseDocument, visit, type YAMLMap } from 'yaml';
import type * as z from 'zod';
import type { ControlClient } from '../../../../client/controlClient.ts';
import type { CallOptions } from '../../../../client/request.ts';
import { Seed, type ActiveFault, type Fault, type SeedResult } from '../../../../contract/control/control.ts';
import { PROCESS_IMAGE_PREFIX } from '../../../../contract/processImage.ts';
import { withoutStackTraces } from '../../../../text/withoutStackTraces.ts';

/* Seeds and faults of the local platform. Commands and tools call these functions, which throw ApiError. */

/** Maximum size of a seed file, in bytes. */
export const MAX_SEED_BYTES = 8 * 1_048_576;

/** A seed, as a file contains it: members can be missing. */
export type SeedInput = z.input<typeof Seed>;

/** A seed that cannot be read. */
export class InvalidSeedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidSeedError';
  }
}

/** Reads a seed in YAML or JSON. @throws InvalidSeedError that names the fields */
export function readSeed(text: string): SeedInput {
  const parsed = Seed.safeParse(parsedYaml(text));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 10).map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new InvalidSeedError(issues.join('; '));
}

function parsedYaml(text: string): unknown {
  try {
    const lineCounter = new LineCounter();
    // The library compares each key with all earlier ones, and copies the line of each error, which can be the whole text.
    const options = { uniqueKeys: false, prettyErrors: false, lineCounter } as const;
    const document = withoutStackTraces(() => parseDocument(text, options));
    const [broken] = document.errors;
    if (broken) {
      const { line, col } = lineCounter.linePos(broken.pos[0]);
      throw new InvalidSeedError(l10n.t`line ${line}, column ${col}: ${broken.message}`);
    }
    visit(document, { Map: (_, map) => rejectDuplicates(map) });
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw error instanceof InvalidSeedError ? error : new InvalidSeedError((error as Error).message);
  }
}

function rejectDuplicates({ items }: YAMLMap): void {
  const keys = new Set<string>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    if (keys.has(name)) throw new InvalidSeedError(l10n.t`the key “${name}” occurs twice`);
    keys.add(name);
  }
}

/** Names of the objects of a seed. */
const KINDS: Readonly<Record<keyof SeedInput, string>> = {
  templates: l10n.t('templates'),
  registries: l10n.t('registry credentials'),
  networkVolumes: l10n.t('network volumes'),
  endpoints: l10n.t('endpoints'),
  users: l10n.t('users'),
  teams: l10n.t('teams'),
  keys: l10n.t('API keys'),
  jobs: l10n.t('jobs'),
  usage: l10n.t('usage entries'),
};

/** Returns the number of objects of each kind in a seed, such as `endpoints (2)`, without kinds that it does not contain. */
export function seedCounts(seed: SeedInput): readonly string[] {
  return (Object.keys(KINDS) as (keyof SeedInput)[]).flatMap((kind) => {
    const count = seed[kind]?.length ?? 0;
    return count > 0 ? [`${KINDS[kind]} (${count})`] : [];
  });
}

/** Returns the names of the endpoints and templates of a seed whose workers run as processes on this machine. */
export function processesIn({ endpoints = [], templates = [] }: SeedInput): readonly string[] {
  return [...endpoints, ...templates]
    .filter(({ image }) => image?.startsWith(PROCESS_IMAGE_PREFIX) === true)
    .map(({ name }) => name);
}

/** Adds a seed to the platform. */
export function seedPlatform(control: ControlClient, seed: SeedInput, options: CallOptions = {}): Promise<SeedResult> {
  return control.seed({ body: Seed.parse(seed) }, options);
}

/** Returns the effect of a fault, such as `requests of all operations fail with status 500, 2 times`. */
export function faultWords({ operation, status, drop, delayMs, rate, count }: Fault): string {
  const effects = [
    ...(delayMs === undefined ? [] : [l10n.t`wait ${delayMs} ms`]),
    ...(status === undefined ? [] : [l10n.t`fail with status ${status}`]),
    ...(drop === undefined ? [] : [l10n.t('lose their connection')]),
  ];
  const share = rate < 1 ? l10n.t`${Math.round(rate * 100)}% of the requests` : l10n.t('requests');
  const target = operation === '*' ? l10n.t('all operations') : operation;
  const limit =
    count === undefined ? l10n.t('until it is removed') : count === 1 ? l10n.t('once') : l10n.t`${count} times`;
  return l10n.t`${share} of ${target} ${effects.join(l10n.t(' and '))}, ${limit}`;
}

/** A change of the faults: a fault to add, the ID of a fault to remove, or `all` to remove all of them. */
export interface FaultChange {
  readonly add?: Fault | undefined;
  readonly remove?: string | undefined;
}

/** Value of `remove` for all faults. */
export const ALL_FAULTS = 'all';

/** Removes and adds faults, in this order. Returns the active faults. */
export async function changeFaults(
  control: ControlClient,
  { add, remove }: FaultChange,
  options: CallOptions = {},
): Promise<readonly ActiveFault[]> {
  if (remove === ALL_FAULTS) await control.removeFaults({}, options);
  else if (remove !== undefined) await control.removeFault({ id: remove }, options);
  if (add) await control.addFault({ body: add }, options);
  const { faults } = await control.listFaults({}, options);
  return faults;
}
