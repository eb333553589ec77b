import { precise } from '../../account/prices/money.ts';
import { type Tuned, type TunedSubject, type TuningPlan } from '../../features/tuning/actions/tune.ts';
import { SAME_USD, type Point } from '../../features/tuning/model/points.ts';
import type { CompleteLoad } from '../../features/tuning/model/tunedLoad.ts';
import { changesText, hardwareName, planSentences, settingChanges } from '../../features/tuning/model/words.ts';
import { code, prose, table } from '../../text/markdown.ts';
import { preciseDuration } from '../../text/quantities.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import { planned, print, simulate, type Increase, type TuneContext, type TuneFlags } from './tuneContext.ts';
import { baseSubject } from './tunedManifest.ts';
import { loadJson, pointJson } from './tuneReport.ts';

/* What a change of a manifest does to the bill and to the waits, under the same load. */

interface BillReport {
  readonly name: string;
  readonly base: string;
  readonly load: CompleteLoad;
  /** Undefined: the endpoint is new. */
  readonly before: Side | undefined;
  readonly after: Side;
  /** Sentences about what is assumed. */
  readonly assumptions: readonly string[];
  /** Command line that repeats the comparison. */
  readonly command: string;
  /** Undefined without a maximum. */
  readonly isWithin: boolean | undefined;
}

interface Side {
  readonly plan: TuningPlan;
  readonly point: Point;
}

/** Compares a manifest with an earlier one. @throws CannotRunError if one of them cannot be simulated */
export async function compareBills(base: string, subject: TunedSubject, context: TuneContext): Promise<number> {
  const { flags, session, surroundings } = context;
  const { file = '', environment, maxIncrease } = flags;
  const earlier = await baseSubject(base, { file, environment, name: subject.name, isLocal: session.isLocal });
  const before =
    earlier && (await sideOf(await planned({ ...earlier, endpoint: subject.endpoint }, context, true), context));
  const { plan, assumption } = onOtherHardware(await planned(subject, context, true), before?.plan, flags);
  const after = await sideOf(plan, context);
  const report: BillReport = {
    ...{ name: subject.name, base, load: context.load, before, after },
    assumptions: assumption === undefined ? [] : [assumption],
    command: commandOf(flags),
    isWithin: maxIncrease && isWithin(maxIncrease, before?.point.usdPerMonth ?? 0, after.point.usdPerMonth),
  };
  await print(report, context, { json: billJson, lines: billLines, markdown: billMarkdown });
  if (report.isWithin !== false) return EXIT_CODES.done;
  surroundings.tell(`the increase is larger than --max-increase ${increaseText(maxIncrease)}`);
  return EXIT_CODES.failed;
}

async function sideOf(plan: TuningPlan, context: TuneContext): Promise<Side> {
  const tuned: Tuned = await simulate(plan, context);
  if (!tuned.present)
    throw new CannotRunError(`${plan.subject.name}: no job completed in the simulation`, EXIT_CODES.cannotTune);
  return { plan, point: tuned.present };
}

/** Gives the settings the execution times of other hardware: the measured ones, the given ones, or else the same ones. */
function onOtherHardware(
  plan: TuningPlan,
  before: TuningPlan | undefined,
  { factor = {} }: TuneFlags,
): { readonly plan: TuningPlan; readonly assumption?: string } {
  const [now, old] = [plan.candidates[0]?.hardware, before?.candidates[0]?.hardware];
  if (!now || !old || hardwareName(now) === hardwareName(old)) return { plan };
  const measured = plan.factorFrom(old);
  const executionFactor = factor[now.id] ?? measured;
  if (executionFactor === undefined)
    return {
      plan,
      assumption: `Execution times on ${hardwareName(now)} are assumed to be those on ${hardwareName(old)}; give --factor ${now.id}=NUMBER if they differ.`,
    };
  const candidates = plan.candidates.map((one) => ({ ...one, hardware: { ...one.hardware, executionFactor } }));
  return { plan: { ...plan, candidates } };
}

function isWithin(increase: Increase, before: number, after: number): boolean {
  const difference = after - before;
  return 'usd' in increase ? difference <= increase.usd : difference <= (before * increase.percent) / 100;
}

function increaseText(increase: Increase | undefined): string {
  if (!increase) return '';
  return 'usd' in increase ? precise(increase.usd) : `${increase.percent}%`;
}

function billJson({ name, base, load, before, after, assumptions, command, isWithin }: BillReport): object {
  return {
    ...{ endpoint: name, base, load: loadJson(load) },
    before: before ? pointJson(before.point) : null,
    after: pointJson(after.point),
    change: {
      usdPerMonth: after.point.usdPerMonth - (before?.point.usdPerMonth ?? 0),
      waitP95Ms: before ? after.point.waitMs - before.point.waitMs : null,
      settings: changesOf(before, after),
    },
    ...{ assumptions, command, ...(isWithin !== undefined && { isWithinMaxIncrease: isWithin }) },
  };
}

function changesOf(before: Side | undefined, after: Side): ReturnType<typeof settingChanges> {
  return before ? settingChanges(after.plan.subject.type, before.point.candidate, after.point.candidate) : [];
}

/** Returns the change in one sentence: `+$412.00 a month at this load, p95 wait −18 %`. */
function headline({ before, after }: BillReport): string {
  if (!before)
    return `new endpoint: ${precise(after.point.usdPerMonth)} a month at this load, p95 wait ${preciseDuration(after.point.waitMs)}`;
  const difference = after.point.usdPerMonth - before.point.usdPerMonth;
  const amount =
    Math.abs(difference) < SAME_USD ? '±$0' : `${difference < 0 ? '−' : '+'}${precise(Math.abs(difference))}`;
  return `${amount} a month at this load, p95 wait ${waitChange(before.point.waitMs, after.point.waitMs)}`;
}

function waitChange(from: number, to: number): string {
  const percent = from === 0 ? undefined : Math.round(((to - from) / from) * 100);
  if (preciseDuration(from) === preciseDuration(to)) return `stays ${preciseDuration(to)}`;
  const times = `${preciseDuration(from)} → ${preciseDuration(to)}`;
  return percent === undefined ? times : `${percent < 0 ? '−' : '+'}${Math.abs(percent)} % (${times})`;
}

function billLines(report: BillReport): readonly string[] {
  const changes = changesText(changesOf(report.before, report.after));
  return [
    `${report.name}: ${headline(report)}`,
    ...(changes === '' ? [] : [`  ${changes}`]),
    ...[...planSentences(report.after.plan), ...report.assumptions].map((sentence) => `  ${sentence}`),
    `  Again: ${report.command}`,
  ];
}

function billMarkdown(report: BillReport): string {
  const { name, base, before, after, assumptions, command } = report;
  const amount = (side: Side | undefined) => (side ? code(precise(side.point.usdPerMonth)) : '');
  const wait = (side: Side | undefined) => (side ? code(preciseDuration(side.point.waitMs)) : '');
  const changes = changesText(changesOf(before, after));
  const paragraphs = [
    `### Bill of ${code(name).source}`,
    `**${code(headline(report)).source}**`,
    table(
      [
        ['Cost of a month', amount(before), amount(after)],
        ['p95 wait', wait(before), wait(after)],
      ],
      ['', 'Before', 'After'],
    ).source,
    ...(changes === '' ? [] : [`Compared with ${code(base).source}: ${code(changes).source}.`]),
    [...planSentences(after.plan), ...assumptions].map((sentence) => prose(sentence, LONGEST_LINE).source).join(' '),
    `Again: ${code(command).source}`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

const LONGEST_LINE = 1_000;

/** Returns the command line of a comparison, without the options that only affect its output. */
function commandOf(flags: TuneFlags): string {
  const { file = '', endpoint, compare = '', load, duration, seed, execution, coldStart, resume, factor = {} } = flags;
  const values: readonly (readonly [string, string | number | undefined])[] = [
    ['--endpoint', endpoint],
    ['--environment', flags.environment],
    ['--compare', compare],
    ['--load', load],
    ['--duration', duration === DEFAULT_SECONDS ? undefined : duration],
    ['--seed', seed === 1 ? undefined : seed],
    ['--execution', execution],
    ['--cold-start', coldStart],
    ['--resume', resume],
    ...Object.entries(factor).map(([id, value]) => ['--factor', `${id}=${value}`] as const),
    ['--connection', flags.connection],
  ];
  const words = [
    'cloud-compute',
    'tune',
    file,
    ...values.flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)])),
  ];
  return words.map(shellWord).join(' ');
}

const DEFAULT_SECONDS = 3_600;

function shellWord(word: string): string {
  return /^[\w./:=@^~%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
