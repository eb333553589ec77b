import path from 'node:path';
import { sortedOffers, type HardwareOffer } from '../../account/hardware/hardwareOffers.ts';
import {
  centerWords,
  excludedWords,
  jobCostWords,
  memoryWords,
  nothingFitsWords,
  priceWords,
  reasonWords,
  stockWords,
  modelNames,
  offerName,
} from '../../account/hardware/hardwareWords.ts';
import { endpointsNamed } from '../../account/endpoints/endpointSnapshot.ts';
import { listAll } from '../../client/listAll.ts';
import { readHardware, type HardwareChoice } from '../../features/manifest/actions/readHardware.ts';
import { readManifest } from '../../features/manifest/actions/readManifests.ts';
import { nameOf } from '../../features/manifest/model/deployment/matchEndpoint.ts';
import { explainObstacle } from '../../features/manifest/model/deployment/planWords.ts';
import { hardwareSettingsOf, otherErrors } from '../../features/manifest/model/hardware/hardwareSettings.ts';
import { readManifestFile, type ManifestPart } from '../../features/manifest/model/manifestFile.ts';
import { problemsOfChosen } from '../../features/manifest/model/problem.ts';
import { lineAndColumn } from '../../features/jobs/model/jobInput.ts';
import { withoutControls } from '../../text/shownText.ts';
import type { ConnectionOptions, Session } from '../connection/openSession.ts';
import { withEnvironment } from '../deploy/chosenEnvironment.ts';
import { localFiles } from '../localFiles.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface HardwareFlags extends ConnectionOptions {
  readonly file: string;
  readonly memory?: number | undefined;
  readonly budget?: number | undefined;
  readonly kind?: HardwareOffer['kind'] | undefined;
  readonly all?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly environment?: string | undefined;
}

/** Hardware for one endpoint of a manifest. */
interface PartHardware {
  readonly name: string;
  readonly choice: HardwareChoice;
  /** The offers of the wanted kind, cheapest first. */
  readonly offers: readonly HardwareOffer[];
}

/** Prints the hardware that satisfies the endpoints of a manifest. */
export function hardwareCommand(flags: HardwareFlags, surroundings: Surroundings): Promise<number> {
  const { write, signal } = surroundings;
  const folder = path.dirname(path.resolve(flags.file));
  return withEnvironment({ ...flags, folder }, surroundings, async (session) => {
    const results = [];
    for (const part of await partsOf(flags, session)) results.push(await hardwareOf(part, flags, session, signal));
    if (flags.json)
      write(session.json({ connection: session.name, endpoints: results.map((one) => partJson(one, flags)) }));
    else
      for (const line of results.flatMap((one) => lines(one, flags))) write(`${session.hide(withoutControls(line))}\n`);
    return results.every(({ offers }) => offers.some(fits)) ? EXIT_CODES.done : EXIT_CODES.failed;
  });
}

const fits = ({ reasons }: HardwareOffer) => reasons.length === 0;

/** @throws CannotRunError if the file cannot be read, or has errors that the choice of hardware does not correct */
async function partsOf({ file, environment }: HardwareFlags, { isLocal }: Session): Promise<readonly ManifestPart[]> {
  const place = path.resolve(file);
  const content = await readManifest(localFiles, place).catch((error: unknown) => {
    throw new CannotRunError(`${file} cannot be read: ${(error as Error).message}`);
  });
  if ('unreadable' in content) {
    const { reason } = explainObstacle({ kind: 'unreadable', reason: content.unreadable });
    throw new CannotRunError(`${file}: ${reason.text}`);
  }
  const { text } = content;
  const language = file.endsWith('.json') ? 'json' : 'yaml';
  const { parts } = readManifestFile(text, { language, target: isLocal ? 'local' : 'hosted', environment });
  for (const part of parts) {
    const [first] = hardwareSettingsOf(part) ? otherErrors(problemsOfChosen(part)) : part.problems;
    if (!first) continue;
    const { line, column } = lineAndColumn(text, first.start);
    throw new CannotRunError(`${file}:${line}:${column}: ${first.message}`);
  }
  return parts;
}

async function hardwareOf(
  part: ManifestPart,
  { memory, budget, kind }: HardwareFlags,
  { client }: Session,
  signal: AbortSignal,
): Promise<PartHardware> {
  const settings = hardwareSettingsOf(part) ?? {};
  const name = nameOf(part) ?? `endpoint ${part.index + 1}`;
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal });
  const [endpoint, ...others] = endpointsNamed(name, endpoints);
  const choice = await readHardware(
    client,
    {
      settings,
      endpoint: others.length === 0 ? endpoint : undefined,
      others: { memoryGb: memory, monthlyBudget: budget },
    },
    signal,
  );
  const own = settings.gpu ? 'gpu' : settings.cpu ? 'cpu' : undefined;
  const wanted = kind ?? own;
  return {
    name,
    choice,
    offers: sortedOffers(choice.offers.filter((offer) => wanted === undefined || offer.kind === wanted)),
  };
}

function partJson({ name, choice: { needs }, offers }: PartHardware, { all = false }: HardwareFlags): object {
  return {
    name,
    dataCenters: needs.dataCenters ?? [],
    hardware: offers.filter((offer) => all || fits(offer)).map(({ typeIds: _, ...offer }) => offer),
  };
}

/** Returns a table. A star marks the hardware that the manifest allows now. */
function lines({ name, choice: { needs }, offers }: PartHardware, { all = false }: HardwareFlags): readonly string[] {
  const shownOffers = offers.filter((offer) => all || fits(offer));
  const hidden = offers.filter((offer) => !shownOffers.includes(offer));
  const rows = shownOffers.map((offer) => {
    const centers = centerWords(offer);
    const why = offer.reasons.map((reason) => reasonWords(reason, offer, needs)).join('; ');
    const columns = [
      ...[`${offer.isChosen ? '*' : ' '} ${offerName(offer)}`, memoryWords(offer), priceWords(offer)],
      ...[jobCostWords(offer) ?? '', stockWords(offer)],
    ];
    return { columns, rest: [modelNames(offer), centers, why].filter(Boolean).join(' · ') };
  });
  const widths = (rows[0]?.columns ?? []).map((_, index) =>
    Math.max(...rows.map(({ columns }) => columns[index]?.length ?? 0)),
  );
  return [
    `${name}:`,
    ...rows.map(({ columns, rest }) =>
      [...columns.map((text, index) => text.padEnd(widths[index] ?? 0)), rest].filter((text) => text !== '').join('  '),
    ),
    ...(offers.some(fits) ? [] : [nothingFitsWords(offers)]),
    ...(hidden.length > 0
      ? [`Not shown: ${hidden.length} that do not satisfy it (${excludedWords(hidden)}); see --all`]
      : []),
  ];
}
