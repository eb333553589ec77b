import path from 'node:path';
import { endpointsNamed } from '../../account/endpoints/endpointSnapshot.ts';
import { precise } from '../../account/prices/money.ts';
import { listAll } from '../../client/listAll.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { TunedSubject } from '../../features/tuning/actions/tune.ts';
import type { Point } from '../../features/tuning/model/points.ts';
import { subjectOfEndpoint } from '../../features/tuning/model/subjects.ts';
import { preciseDuration } from '../../text/quantities.ts';
import { endpointNamed } from '../connection/endpointNamed.ts';
import type { Session } from '../connection/openSession.ts';
import { withEnvironment } from '../deploy/chosenEnvironment.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { compareBills } from './compareBills.ts';
import { manifestSubject } from './tunedManifest.ts';
import { planned, print, simulate, type TuneContext, type TuneFlags } from './tuneContext.ts';
import { tuneLoad } from './tuneLoad.ts';
import { tuneJson, tuneLines, tuneMarkdown, type TuneReport } from './tuneReport.ts';

/** Prints better settings for an endpoint, or compares the bills of two manifests. @throws CannotRunError if nothing can be simulated */
export async function tuneCommand(flags: TuneFlags, surroundings: Surroundings): Promise<number> {
  const { file, endpoint, compare, maxIncrease } = flags;
  if (file === undefined && endpoint === undefined) throw usage('name a manifest, or an endpoint with --endpoint');
  if (compare !== undefined && file === undefined) throw usage('--compare needs a manifest');
  if (maxIncrease !== undefined && compare === undefined) throw usage('--max-increase needs --compare');
  const folder = path.dirname(path.resolve(file ?? '.'));
  return withEnvironment({ ...flags, folder }, surroundings, async (session) => {
    const subject = await readSubject(flags, session, surroundings.signal);
    const load = await tuneLoad(flags, session, subject.endpoint, surroundings.signal);
    const context = { flags, session, surroundings, load };
    return compare === undefined ? tune(subject, context) : compareBills(compare, subject, context);
  });
}

async function tune(subject: TunedSubject, context: TuneContext): Promise<number> {
  const { flags, session, surroundings, load } = context;
  const { targetWait: targetWaitMs, budget } = flags;
  const plan = await planned(subject, context);
  const tuned = await simulate(plan, context);
  const { present } = tuned;
  if (!present) throw new CannotRunError('no job completed with the present settings', EXIT_CODES.cannotTune);
  const misses = missesOf(present, { targetWaitMs, budget });
  const report: TuneReport = { plan, load, tuned, present, goals: { targetWaitMs, budget }, misses };
  await print(report, context, { json: tuneJson, lines: tuneLines, markdown: tuneMarkdown });
  for (const miss of misses) surroundings.tell(session.hide(`the present settings miss ${miss}`));
  return misses.length > 0 ? EXIT_CODES.failed : EXIT_CODES.done;
}

function missesOf(
  { waitMs, usdPerMonth }: Point,
  { targetWaitMs, budget }: { readonly targetWaitMs: number | undefined; readonly budget: number | undefined },
): readonly string[] {
  return [
    ...(targetWaitMs !== undefined && waitMs > targetWaitMs
      ? [`--target-wait ${preciseDuration(targetWaitMs)}: the p95 wait is ${preciseDuration(waitMs)}`]
      : []),
    ...(budget !== undefined && usdPerMonth > budget
      ? [`--budget ${precise(budget)}: a month costs ${precise(usdPerMonth)}`]
      : []),
  ];
}

/** Reads the manifest with the endpoint that has its name, or the endpoint. */
async function readSubject(flags: TuneFlags, session: Session, signal: AbortSignal): Promise<TunedSubject> {
  const { file, endpoint: name, environment } = flags;
  if (file !== undefined) {
    const subject = await manifestSubject({ file, name, environment, isLocal: session.isLocal });
    return { ...subject, endpoint: await endpointOf(subject.name, session, signal) };
  }
  const subject = subjectOfEndpoint(await endpointNamed(session, name ?? '', signal));
  if (!subject) throw new CannotRunError(`the scaling rule of ${name ?? ''} is not known`, EXIT_CODES.cannotTune);
  return subject;
}

/** Returns the only endpoint with the name of a manifest. */
async function endpointOf(name: string, { client }: Session, signal: AbortSignal): Promise<Endpoint | undefined> {
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal });
  const [endpoint, ...others] = endpointsNamed(name, endpoints);
  return others.length === 0 ? endpoint : undefined;
}

function usage(message: string): CannotRunError {
  return new CannotRunError(message, EXIT_CODES.usage);
}
