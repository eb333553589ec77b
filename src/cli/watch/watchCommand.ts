import { stat } from 'node:fs/promises';
import path from 'node:path';
import { counted } from '../../agents/model/boundedOutput.ts';
import { ApiError } from '../../client/apiError.ts';
import { systemClock } from '../../client/clock.ts';
import { listAll } from '../../client/listAll.ts';
import { backoffMs } from '../../client/retry.ts';
import type { AlertNotice } from '../../contract/alerts.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { EndpointWatch } from '../../features/alerts/actions/endpointWatch.ts';
import { findAlerted, type AlertedManifest } from '../../features/alerts/actions/findAlerted.ts';
import { alertNotice } from '../../features/alerts/model/alertWords.ts';
import { readManifest, readManifests, type FoundManifest } from '../../features/manifest/actions/readManifests.ts';
import { explain } from '../../kit/explain.ts';
import { withoutControls } from '../../text/shownText.ts';
import type { ConnectionOptions, Session } from '../connection/openSession.ts';
import { withEnvironment, type ChosenEnvironment } from '../deploy/chosenEnvironment.ts';
import { localFiles } from '../localFiles.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { Deliveries, receiverOf } from './deliveries.ts';

export interface WatchFlags extends ConnectionOptions {
  readonly paths: readonly string[];
  /** Can contain a secret, so only its origin is ever shown. */
  readonly webhook?: string | undefined;
  /** Time between two looks, in seconds. */
  readonly interval: number;
  readonly once?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly environment?: string | undefined;
}

const BACKOFF = { firstMs: 1_000, lastMs: 30_000 } as const;

/** Tells when conditions of manifests begin or end to hold, until an interruption. */
export async function watchCommand(flags: WatchFlags, surroundings: Surroundings): Promise<number> {
  const { tell, signal } = surroundings;
  const receiver = flags.webhook === undefined ? undefined : receiverOf(flags.webhook);
  const paths = flags.paths.length > 0 ? flags.paths : ['.'];
  const files = (await Promise.all(paths.map((one) => manifestsAt(one, signal)))).flat();
  const deliveries = receiver && new Deliveries(receiver, { tell, signal });
  const watches = new Map<string, Watch>();
  const begin = { ...flags, folder: await folderOf(paths[0] ?? '.') };
  for (let failures = 0; ;) {
    try {
      const result = await withEnvironment(begin, surroundings, async (session, environment) => {
        if (watches.size === 0) startAll(watches, files, environment, session);
        failures = 0;
        return flags.once
          ? lookOnce({ session, watches, flags, surroundings, deliveries })
          : watchUntilLost({ session, watches, flags, surroundings, deliveries });
      });
      if (typeof result === 'number') return result;
    } catch (error) {
      if (signal.aborted || flags.once || watches.size === 0) throw error;
    }
    // The platform was restarted, perhaps with another address or key.
    await systemClock.sleep(backoffMs(failures++, Math.random, BACKOFF), signal);
  }
}

interface Watch {
  readonly manifest: AlertedManifest<string>;
  readonly watch: EndpointWatch;
  /** Last message about the watch itself. It is told once. */
  told?: string | undefined;
}

interface Watching {
  readonly session: Session;
  readonly watches: ReadonlyMap<string, Watch>;
  readonly flags: WatchFlags;
  readonly surroundings: Surroundings;
  readonly deliveries: Deliveries | undefined;
}

/** Adds a watch for each manifest with conditions. @throws CannotRunError without one, and for one with an error */
function startAll(
  watches: Map<string, Watch>,
  files: readonly FoundManifest<string>[],
  environment: ChosenEnvironment | undefined,
  { isLocal, name, host }: Session,
): void {
  const { manifests, unusable } = findAlerted(files, {
    target: isLocal ? 'local' : 'hosted',
    connection: { isLocal, name, host },
    environment: environment?.name,
  });
  const [first] = unusable;
  if (first?.needsEnvironment)
    throw new CannotRunError(`${first.file} has x-environments: choose one with --environment`);
  if (first) throw new CannotRunError(`${first.file} has an error: ${first.reason ?? 'it is not valid'}`);
  if (manifests.length === 0) throw new CannotRunError('no manifest has x-alerts');
  for (const manifest of manifests)
    watches.set(`${manifest.place}#${manifest.part.index}`, { manifest, watch: new EndpointWatch() });
}

/** Resolves with undefined once the platform cannot be reached. */
async function watchUntilLost(watching: Watching): Promise<undefined> {
  const { session, watches, flags, surroundings } = watching;
  const { tell, signal } = surroundings;
  tell(`watching ${counted(watches.size, 'manifest')} on ${session.name}`);
  for (;;) {
    try {
      await lookAtAll(watching);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError)) throw error;
      tell(session.hide(explain(error, session.name).text));
      return undefined;
    }
    await systemClock.sleep(flags.interval * 1_000, signal);
  }
}

async function lookOnce(watching: Watching): Promise<number> {
  await lookAtAll(watching);
  await watching.deliveries?.settled();
  const all = [...watching.watches.values()];
  if (all.some(({ watch }) => watch.firing.length > 0)) return EXIT_CODES.failed;
  return all.some(({ watch }) => watch.isObserved) ? EXIT_CODES.cannotTest : EXIT_CODES.done;
}

async function lookAtAll(watching: Watching): Promise<void> {
  const { session, watches, surroundings } = watching;
  const { signal } = surroundings;
  const endpoints = await listAll(session.client, 'listEndpoints', {}, 'endpoints', { signal });
  for (const watch of watches.values()) {
    const named = endpoints.filter(({ name }) => name === watch.manifest.name);
    const [endpoint, ...others] = named;
    if (endpoint && others.length === 0) await lookAt(watch, endpoint, watching);
    else
      tellOnce(
        watch,
        `${watch.manifest.name}: ${endpoint ? 'several endpoints have' : 'no endpoint has'} this name`,
        watching,
      );
  }
}

async function lookAt(one: Watch, endpoint: Endpoint, watching: Watching): Promise<void> {
  const { session, flags, surroundings, deliveries } = watching;
  const { manifest, watch } = one;
  const events = await watch.look(session.client, endpoint, manifest.alerts, surroundings.signal);
  const untold = watch.untold(endpoint, manifest.alerts);
  if (untold.length > 0)
    tellOnce(one, `${endpoint.name}: ${session.name} does not measure ${untold.join(', ')}`, watching);
  else one.told = undefined;
  for (const event of events) {
    const notice = alertNotice(event, {
      ...{ endpointId: endpoint.id, endpointName: endpoint.name },
      ...{ platform: session.name, file: manifest.file },
    });
    surroundings.write(`${session.hide(flags.json ? JSON.stringify(notice) : lineOf(notice))}\n`);
    deliveries?.add(notice);
  }
}

function lineOf({ at, event, condition, message }: AlertNotice): string {
  return withoutControls(`${at} ${event} ${condition}: ${message}`);
}

function tellOnce(watch: Watch, line: string, { session, surroundings }: Watching): void {
  if (watch.told === line) return;
  watch.told = line;
  surroundings.tell(session.hide(withoutControls(line)));
}

/** Reads the manifests of a folder, or one file. @throws CannotRunError if it cannot be read */
async function manifestsAt(given: string, signal: AbortSignal): Promise<readonly FoundManifest<string>[]> {
  const place = path.resolve(given);
  const found = await stat(place).catch(() => undefined);
  if (found?.isDirectory()) {
    const files = await readManifests(localFiles, place, signal);
    return files.map((file) => ({ ...file, path: path.join(given, file.path) }));
  }
  const content = await readManifest(localFiles, place);
  if (!('text' in content)) throw new CannotRunError(`${given} cannot be read`);
  return [{ place, path: given, content }];
}

async function folderOf(given: string): Promise<string> {
  const place = path.resolve(given);
  return (await stat(place)).isDirectory() ? place : path.dirname(place);
}
