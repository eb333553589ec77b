import { appendFile } from 'node:fs/promises';
import {
  deployingSteps,
  type DeploymentPlan,
  type PlanPart,
} from '../../features/manifest/model/deployment/deploymentPlan.ts';
import { EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { withEnvironment, type EnvironmentFlags } from './chosenEnvironment.ts';
import { readFolderPlan, type FolderPlan, type PriceOf } from './folderPlan.ts';
import { planJson, planLines, placeInFile, summaryOf } from './planReport.ts';
import { precise } from '../../account/prices/money.ts';
import { changeWords } from '../../features/manifest/model/deployment/difference.ts';
import { placeOf } from '../../features/manifest/model/deployment/planWords.ts';
import { code, joinedMarkdown, table, type Markdown, type MarkdownValue } from '../../text/markdown.ts';
import type { Session } from '../connection/openSession.ts';

export interface PlanFlags extends EnvironmentFlags {
  readonly json?: boolean | undefined;
  /** File to append the plan to, as Markdown. */
  readonly summary?: string | undefined;
  /** Whether images of `x-build` count as built. */
  readonly beforeBuild?: boolean | undefined;
}

/** Prints what a deployment of a folder would change. */
export function planCommand(flags: PlanFlags, surroundings: Surroundings): Promise<number> {
  const { write, signal } = surroundings;
  return withEnvironment(flags, surroundings, async (session, environment) => {
    const read = await readFolderPlan(session, { ...flags, environment }, signal);
    if (flags.json) write(session.json(planJson(read, session)));
    else for (const line of planLines(read, session)) write(`${session.hide(line)}\n`);
    if (flags.summary !== undefined) await appendFile(flags.summary, planMarkdown(read, session));
    if (read.problems.length > 0) return EXIT_CODES.failed;
    return deployingSteps(read.plan).length > 0 ? EXIT_CODES.changes : EXIT_CODES.done;
  });
}

/* The plan of a folder as Markdown, for the summary of a CI job. Text of files and of the platform is in code spans. */

/** The longest month has 31 days. */
const HOURS_PER_MONTH = 31 * 24;

/** Returns the plan as Markdown that ends with a line break. */
function planMarkdown(
  { plan, environment, problems, priceOf }: FolderPlan,
  { name, host, hide }: Pick<Session, 'name' | 'host' | 'hide'>,
): string {
  const shown = (text: string): Markdown => code(hide(text));
  const rows = [
    ...plan.parts.flatMap((part) => (part.kind === 'blocked' ? [] : [rowOf(part, priceOf, shown)])),
    ...plan.notInFiles.map((endpoint) => [shown(endpoint.name), 'none: not in files', '', '']),
  ];
  const paragraphs = [
    `### Plan for ${shown(name === host ? host : `${name} (${host})`).source}${environment ? environmentWords(environment) : ''}`,
    `**${summaryOf(plan) || 'No manifests'}.**`,
    ...(rows.length > 0 ? [table(rows, ['Endpoint', 'Deployment', 'Changes', 'Highest price per hour'])] : []),
    ...problems.map((problem) => `- ${shown(placeInFile(problem)).source}: ${shown(problem.message).source}`),
    ...(deployingSteps(plan).length > 0 ? [priceSentence(plan, priceOf)] : []),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

function environmentWords({ name, production }: NonNullable<FolderPlan['environment']>): string {
  return `, ${production ? 'PRODUCTION ' : ''}environment ${code(name).source}`;
}

function rowOf(
  part: Exclude<PlanPart, { kind: 'blocked' }>,
  priceOf: PriceOf,
  shown: (text: string) => Markdown,
): readonly MarkdownValue[] {
  const endpoint = shown(part.name ?? placeOf(part).text);
  switch (part.kind) {
    case 'create':
      return [endpoint, 'create', '', priceWords(priceOf(part.manifest)?.all)];
    case 'update': {
      const [before, after] = [priceOf(part.endpoint)?.all, priceOf(part.manifest)?.all];
      const changes = part.changes.map((change) => shown(changeWords(change)));
      return [
        endpoint,
        part.replacesWorkers ? 'update and replace the workers' : 'update',
        joinedMarkdown(changes, '<br>'),
        before === after ? priceWords(after) : joinedMarkdown([priceWords(before), priceWords(after)], ' → '),
      ];
    }
    case 'unchanged':
      return [endpoint, 'unchanged', '', ''];
  }
}

/** Returns an amount in a code span, because Markdown can contain formulas between dollar signs. */
function amount(usd: number): Markdown {
  return code(precise(usd));
}

function priceWords(usd: number | undefined): MarkdownValue {
  return usd === undefined ? 'not known' : amount(usd);
}

/** Compares the prices of all changed endpoints, each with its maximum number of workers. */
function priceSentence(plan: DeploymentPlan, priceOf: PriceOf): string {
  const steps = deployingSteps(plan);
  const before = steps.map((step) => (step.kind === 'update' ? priceOf(step.endpoint)?.all : 0));
  const after = steps.map((step) => priceOf(step.manifest)?.all);
  const unknown = steps.filter((_, index) => before[index] === undefined || after[index] === undefined).length;
  const sum = (prices: readonly (number | undefined)[]): number =>
    prices.reduce<number>((total, price, index) => {
      const isKnown = before[index] !== undefined && after[index] !== undefined;
      return isKnown ? total + (price ?? 0) : total;
    }, 0);
  const [old, now] = [sum(before), sum(after)];
  const difference = now - old;
  return [
    `With all workers, the changed endpoints cost ${amount(old).source} per hour before and ${amount(now).source} after:`,
    `${signed(difference)} per hour, at most ${signed(difference * HOURS_PER_MONTH)} per month.`,
    ...(unknown > 0 ? [unknown === 1 ? 'One price is not known.' : `${unknown} prices are not known.`] : []),
  ].join(' ');
}

function signed(usd: number): string {
  return code(`${usd < 0 ? '-' : '+'}${precise(Math.abs(usd))}`).source;
}
