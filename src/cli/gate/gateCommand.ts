import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GatePlace } from '../../features/gate/actions/gateSide.ts';
import type { GateOptions } from '../../features/gate/actions/runGate.ts';
import { deleteLeftovers } from '../../features/gate/actions/scratchEndpoint.ts';
import { gateDocument, type Hide } from '../../features/gate/model/gateWords.ts';
import { withSession, type ConnectionOptions } from '../connection/openSession.ts';
import { programFolder } from '../login/logins.ts';
import { confirm } from '../program/ask.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { gateHtml, gateJunit } from './gateDocuments.ts';
import { manifestOf, partOf } from './manifestOf.ts';
import { measurementLines, runGateOn, verdictLines } from './gateRun.ts';

export interface GateFlags extends ConnectionOptions {
  readonly manifest?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly base?: string | undefined;
  readonly baseImage?: string | undefined;
  readonly image?: string | undefined;
  readonly environment?: string | undefined;
  readonly jobs?: number | undefined;
  readonly scratch?: boolean | undefined;
  readonly report?: string | undefined;
  readonly summary?: string | undefined;
  readonly junit?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

/** Runs the gate of a manifest, and prints the result. @throws CannotRunError if it could not run */
export async function gateCommand(flags: GateFlags, surroundings: Surroundings): Promise<number> {
  if (flags.base !== undefined && flags.baseImage !== undefined)
    throw cannot('--base and --base-image exclude each other');
  if (flags.report !== undefined && !/\.(?:md|html)$/.test(flags.report))
    throw cannot('--report needs a file that ends with .md or .html');
  const manifest = await manifestOf(flags.manifest);
  if (flags.scratch !== true)
    return gate(
      flags,
      { manifest, place: { kind: 'private', platformScript: surroundings.platformScript } },
      surroundings,
    );
  return withSession(flags, surroundings, async ({ client, name, host, isLocal }) => {
    const question = `Create two endpoints on ${name} (${host}), which cost money, and delete them afterwards?`;
    if (!isLocal && !flags.yes && !(await confirm(question, surroundings))) throw cannot('nothing was run');
    const notes = path.join(programFolder(surroundings.environment), 'gates');
    const place = { kind: 'connection', client, isLocal, platform: isLocal ? name : host, notes } as const;
    for (const leftover of await deleteLeftovers(place))
      surroundings.tell(`deleted the endpoint ${leftover} of an earlier gate that was killed`);
    return gate(flags, { manifest, place }, surroundings);
  });
}

interface Subject {
  readonly manifest: string;
  readonly place: GatePlace;
}

async function gate(flags: GateFlags, { manifest, place }: Subject, surroundings: Surroundings): Promise<number> {
  const { write } = surroundings;
  const { image, jobs, environment } = flags;
  const subject = {
    manifest,
    image,
    jobs,
    environment,
    base: baseOf(flags),
    part: await partOf(manifest, flags.endpoint),
  };
  const { result, hide } = await runGateOn(place, subject, surroundings);
  const { report, problems, isStored } = result;
  const markdown = `${gateDocument(report, hide).source}\n`;
  if (flags.report !== undefined)
    await writeFile(flags.report, flags.report.endsWith('.md') ? markdown : gateHtml(report, hide));
  if (flags.summary !== undefined) await appendFile(flags.summary, `${markdown}\n`);
  if (flags.json) write(`${JSON.stringify(withoutSecrets({ ...report, isStored }, hide), null, 2)}\n`);
  else if (flags.junit) write(gateJunit(report, hide));
  else write([...verdictLines(result, hide), '', ...measurementLines(result), ''].join('\n'));
  if (problems.length > 0 || report.failures.some(({ code }) => code === 'notRun')) return EXIT_CODES.cannotTest;
  return report.passed ? EXIT_CODES.done : EXIT_CODES.failed;
}

function baseOf({ base, baseImage }: GateFlags): GateOptions['base'] {
  if (base !== undefined) return { revision: base };
  return baseImage === undefined ? undefined : { image: baseImage };
}

/** Longest text in the JSON, in UTF-16 code units. Less than a report keeps, so that no part of a secret remains at the end. */
const LONGEST_TEXT = 8_192;

/** Returns a JSON value whose texts contain no secret and are not long. */
function withoutSecrets(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') {
    const text = hide(value);
    return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1)}…`;
  }
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, content]) => [hide(name), withoutSecrets(content, hide)] as const),
  );
}

function cannot(message: string): CannotRunError {
  return new CannotRunError(message, EXIT_CODES.cannotTest);
}
