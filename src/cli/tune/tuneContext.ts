import { appendFile } from 'node:fs/promises';
import {
  planTuning,
  runTuning,
  type Tuned,
  type TunedSubject,
  type TuningPlan,
} from '../../features/tuning/actions/tune.ts';
import type { CompleteLoad } from '../../features/tuning/model/tunedLoad.ts';
import { failureWords, obstacleWords } from '../../features/tuning/model/words.ts';
import { withoutControls } from '../../text/shownText.ts';
import type { ConnectionOptions, Session } from '../connection/openSession.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import type { LoadFlags } from './tuneLoad.ts';

/* What the search for settings and the comparison of bills share. */

/** Highest increase in the cost of a month. */
export type Increase = { readonly usd: number } | { readonly percent: number };

export interface TuneFlags extends ConnectionOptions, LoadFlags {
  /** Manifest. Undefined: the endpoint itself. */
  readonly file?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly environment?: string | undefined;
  readonly factor?: Readonly<Record<string, number>> | undefined;
  /** In ms. */
  readonly targetWait?: number | undefined;
  /** In USD. */
  readonly budget?: number | undefined;
  readonly compare?: string | undefined;
  readonly maxIncrease?: Increase | undefined;
  readonly summary?: string | undefined;
  readonly json?: boolean | undefined;
}

/** What both uses of the command need. */
export interface TuneContext {
  readonly flags: TuneFlags;
  readonly session: Session;
  readonly surroundings: Surroundings;
  readonly load: CompleteLoad;
}

/** Returns the settings to simulate. @throws CannotRunError if there are none, and ApiError */
export async function planned(
  subject: TunedSubject,
  { flags, session, surroundings: { signal }, load }: TuneContext,
  presentOnly = false,
): Promise<TuningPlan> {
  const plan = await planTuning(session.client, subject, load, { factors: flags.factor, presentOnly, signal });
  if ('obstacle' in plan)
    throw new CannotRunError(`${subject.name}: ${obstacleWords(plan.obstacle)}`, EXIT_CODES.cannotTune);
  return plan;
}

/** Runs the simulation, and shows its progress. @throws CannotRunError if it ends early */
export async function simulate(plan: TuningPlan, { surroundings }: Pick<TuneContext, 'surroundings'>): Promise<Tuned> {
  const { signal, show, simulationScript: script } = surroundings;
  const tuned = await runTuning(plan, {
    ...{ script, signal },
    onProgress: (done, total) => show?.(`${done} of ${total} settings simulated`),
  });
  if ('kind' in tuned) throw new CannotRunError(failureWords(tuned), EXIT_CODES.cannotTune);
  return tuned;
}

/** Functions that present a result to programs, to people, and in a pull request. */
export interface Presentation<Report> {
  readonly json: (report: Report) => object;
  readonly lines: (report: Report) => readonly string[];
  readonly markdown: (report: Report) => string;
}

export async function print<Report>(
  report: Report,
  { flags, session, surroundings: { write } }: TuneContext,
  { json, lines, markdown }: Presentation<Report>,
): Promise<void> {
  if (flags.json) write(session.json(json(report)));
  else for (const line of lines(report)) write(`${session.hide(withoutControls(line))}\n`);
  if (flags.summary !== undefined) await appendFile(flags.summary, session.hide(markdown(report)));
}
