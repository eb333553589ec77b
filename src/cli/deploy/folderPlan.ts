import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { readHardware } from '../../account/liveValues/readHardware.ts';
import { workerPrice, type Hardware, type Prices } from '../../account/prices/workerPrice.ts';
import { WORKER_DEFAULTS } from '../../contract/endpointSettings.ts';
import { verificationJobs } from '../../features/jobs/expectations/actions/runExpectation.ts';
import { lineAndColumn } from '../../features/jobs/model/jobInput.ts';
import { imageChanges } from '../../features/manifest/build/actions/writeImage.ts';
import { planDeployment, type PlanSources } from '../../features/manifest/actions/planDeployment.ts';
import { readManifests, type FoundManifest } from '../../features/manifest/actions/readManifests.ts';
import { readEnvValues } from '../../features/manifest/actions/resolveBody.ts';
import {
  blockedParts,
  type BlockedPart,
  type DeploymentFile,
  type DeploymentPlan,
} from '../../features/manifest/model/deployment/deploymentPlan.ts';
import { explainObstacle } from '../../features/manifest/model/deployment/planWords.ts';
import type { VerificationTests } from '../../features/manifest/model/deployment/verificationTest.ts';
import { requestVerifier } from '../../features/requests/actions/requestVerifier.ts';
import { applyChanges } from '../../features/manifest/model/editing/textChanges.ts';
import { parseManifestFile, readManifestFile, type CheckOptions } from '../../features/manifest/model/manifestFile.ts';
import { problemsOfChosen } from '../../features/manifest/model/problem.ts';
import type { Session } from '../connection/openSession.ts';
import { filesBeside, folderAt, localFiles, readLocalText } from '../localFiles.ts';
import type { ChosenEnvironment } from './chosenEnvironment.ts';

/** The plan of a folder for the platform of a session. */
export interface FolderPlan {
  readonly environment: ChosenEnvironment | undefined;
  readonly plan: DeploymentPlan;
  /** Values of the references in the plan. */
  readonly values: readonly string[];
  /** Runs the tests of the plan. */
  readonly tests: VerificationTests;
  readonly problems: readonly FileProblem[];
  readonly priceOf: PriceOf;
}

/** A reason why a part of a file cannot be deployed. */
export interface FileProblem {
  /** Path relative to the folder, with slashes. */
  readonly file: string;
  /** Starts at 1. Undefined if the problem has no place in the text. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** Kind of the obstacle, or code of the rule. */
  readonly code: string;
  readonly message: string;
}

/** Price of one worker and of all workers, in USD per hour. Undefined if it is not known. */
export type PriceOf = (settings: Priced) => { readonly worker: number; readonly all: number } | undefined;
type Priced = Hardware & { readonly workers?: { readonly max?: number | undefined } | undefined };

/** A folder whose manifests are planned. */
export interface PlannedFolder {
  readonly folder: string;
  readonly environment: ChosenEnvironment | undefined;
  /** Whether images of `x-build` count as built. */
  readonly beforeBuild?: boolean | undefined;
  /** Whether a manifest whose `x-gate` needs a passed gate is blocked without one. */
  readonly requiresGates?: boolean | undefined;
  /** Returns whether the last deployment of an endpoint was not verified. */
  readonly isUnverified?: PlanSources['isUnverified'];
}

/** Compares the manifests of a folder with the endpoints of the platform. @throws ApiError, and CannotRunError without a folder */
export async function readFolderPlan(
  session: Session,
  { folder, environment, beforeBuild = false, isUnverified, requiresGates }: PlannedFolder,
  signal: AbortSignal,
): Promise<FolderPlan> {
  const { client, isLocal, name, host, values: source } = session;
  const root = await folderAt(folder);
  const [hardware, found] = await Promise.all([readHardware(client, signal), readManifests(localFiles, root, signal)]);
  const options: CheckOptions = {
    ...{ target: isLocal ? 'local' : 'hosted', catalog: hardware?.catalog },
    ...{ connection: { isLocal, name, host }, environment: environment?.name },
  };
  const files = found.map(fileOf);
  const tests = localTests();
  let values: readonly string[] = [];
  const plan = await planDeployment({
    ...{
      client,
      tests,
      signal,
      links: [],
      options: () => options,
      requiresGates,
      ...(isUnverified && { isUnverified }),
    },
    files: beforeBuild ? files.map(withBuiltImages) : files,
    valuesOf: async (environments) => {
      const read = await readEnvValues(environments, source);
      values = read.values;
      return read;
    },
  });
  const problems = blockedParts(plan)
    .flatMap((part) => problemsOf(part, files, options))
    .filter(({ code }) => !(beforeBuild && code === 'imageNotBuilt'));
  return {
    ...{ environment, plan, values, tests, problems },
    priceOf: (settings) => hardware && priceOf(settings, hardware.prices),
  };
}

/** Returns what reads and runs the tests of manifests on this machine. */
export function localTests(): VerificationTests {
  return {
    jobs: verificationJobs(readLocalText),
    requests: requestVerifier({ readText: readLocalText, filesBeside }),
  };
}

const WithRepository = z.object({ 'x-build': z.object({ repository: z.string() }) });
/** Tag of an image that is not built yet. */
const NEXT_BUILD = 'next-build';

export function fileOf({ place, path: fileName, content }: FoundManifest<string>): DeploymentFile {
  const language = fileName.endsWith('.json') ? 'json' : 'yaml';
  return { file: pathToFileURL(place).href, fileName, language, folder: path.dirname(place), content };
}

/** Returns a file with the images that a build with a push writes, whose tags are not known yet. */
function withBuiltImages(file: DeploymentFile): DeploymentFile {
  if (!('text' in file.content)) return file;
  const { text } = file.content;
  const parsed = parseManifestFile(text, file.language);
  const changes = parsed.parts.flatMap(({ index, value }) => {
    const { data } = WithRepository.safeParse(value);
    return data ? (imageChanges(parsed, index, `${data['x-build'].repository}:${NEXT_BUILD}`) ?? []) : [];
  });
  return { ...file, content: { text: applyChanges(text, changes) } };
}

/** Returns all errors of an invalid part, or the reason why another one cannot be deployed. */
function problemsOf(
  { file, fileName, part, obstacle }: BlockedPart,
  files: readonly DeploymentFile[],
  options: CheckOptions,
): readonly FileProblem[] {
  const source = files.find((one) => one.file === file);
  if (obstacle.kind === 'invalid' && source && 'text' in source.content) {
    const { text } = source.content;
    const checked = readManifestFile(text, { language: source.language, ...options }).parts[part];
    return (checked ? problemsOfChosen(checked) : [])
      .filter(({ severity }) => severity === 'error')
      .map(({ start, code, message }) => ({ file: fileName, ...lineAndColumn(text, start), code, message }));
  }
  return [{ file: fileName, code: obstacle.kind, message: explainObstacle(obstacle).reason.text }];
}

function priceOf(settings: Priced, prices: Prices): ReturnType<PriceOf> {
  const worker = workerPrice(settings, prices);
  if (worker === undefined) return undefined;
  return { worker, all: worker * (settings.workers?.max ?? WORKER_DEFAULTS.max) };
}
