import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readHardware } from '../../account/liveValues/readHardware.ts';
import { workerPrice, type Hardware, type Prices } from '../../account/prices/workerPrice.ts';
import { WORKER_DEFAULTS } from '../../contract/endpointSettings.ts';
import { lineAndColumn } from '../../features/jobs/model/jobInput.ts';
import { planDeployment } from '../../features/manifest/actions/planDeployment.ts';
import { readManifests, type FoundManifest } from '../../features/manifest/actions/readManifests.ts';
import { readEnvValues } from '../../features/manifest/actions/resolveBody.ts';
import {
  blockedParts,
  type BlockedPart,
  type DeploymentFile,
  type DeploymentPlan,
} from '../../features/manifest/model/deployment/deploymentPlan.ts';
import { explainObstacle } from '../../features/manifest/model/deployment/planWords.ts';
import { problemsOfChosen } from '../../features/manifest/model/patched/chosen.ts';
import { readManifestFile, type CheckOptions } from '../../features/manifest/model/manifestFile.ts';
import type { Session } from '../connection/openSession.ts';
import { localFiles } from '../localFiles.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import type { ChosenEnvironment } from './chosenEnvironment.ts';

/** The plan of a folder for the platform of a session. */
export interface FolderPlan {
  readonly environment: ChosenEnvironment | undefined;
  readonly plan: DeploymentPlan;
  /** Values of the references in the plan. */
  readonly values: readonly string[];
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

/** Compares the manifests of a folder with the endpoints of the platform. @throws ApiError, and CannotRunError without a folder */
export async function readFolderPlan(
  session: Session,
  { folder, environment }: { readonly folder: string; readonly environment: ChosenEnvironment | undefined },
  signal: AbortSignal,
): Promise<FolderPlan> {
  const { client, isLocal, name, host, values: source } = session;
  const root = path.resolve(folder);
  if (!(await stat(root).catch(() => undefined))?.isDirectory())
    throw new CannotRunError(`the folder ${folder} does not exist`);
  const [hardware, found] = await Promise.all([readHardware(client, signal), readManifests(localFiles, root, signal)]);
  const options: CheckOptions = {
    ...{ target: isLocal ? 'local' : 'hosted', catalog: hardware?.catalog },
    ...{ connection: { isLocal, name, host }, environment: environment?.name },
  };
  const files = found.map(fileOf);
  let values: readonly string[] = [];
  const plan = await planDeployment({
    ...{ client, files, signal, links: [], options: () => options },
    valuesOf: async (environments) => {
      const read = await readEnvValues(environments, source);
      values = read.values;
      return read;
    },
  });
  const problems = blockedParts(plan).flatMap((part) => problemsOf(part, files, options));
  return { environment, plan, values, problems, priceOf: (settings) => hardware && priceOf(settings, hardware.prices) };
}

function fileOf({ place, path: fileName, content }: FoundManifest<string>): DeploymentFile {
  const language = fileName.endsWith('.json') ? 'json' : 'yaml';
  return { file: pathToFileURL(place).href, fileName, language, folder: path.dirname(place), content };
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
