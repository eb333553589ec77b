import { precise } from '../../account/prices/money.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { withoutControls } from '../../text/shownText.ts';
import {
  blockedParts,
  type CreateStep,
  type DeploymentPlan,
  type PlanPart,
  type UpdateStep,
} from '../../features/manifest/model/deployment/deploymentPlan.ts';
import { changeWords, type SettingChange } from '../../features/manifest/model/deployment/difference.ts';
import { countWords, placeOf } from '../../features/manifest/model/deployment/planWords.ts';
import type { Session } from '../connection/openSession.ts';
import type { ChosenEnvironment } from './chosenEnvironment.ts';
import type { FileProblem, FolderPlan, PriceOf } from './folderPlan.ts';

/* The plan of a folder, for people and for programs. */

/** The plan as JSON. Environment variables appear by name only. */
export function planJson({ environment, plan, problems, priceOf }: FolderPlan, session: Session): object {
  return {
    connection: connectionJson(session),
    ...environmentJson(environment),
    steps: plan.parts.flatMap((part) => (part.kind === 'blocked' ? [] : [stepJson(part, priceOf)])),
    problems,
    unmanaged: plan.notInFiles.map(({ id, name }) => ({ id, name })),
  };
}

export function connectionJson({ name, host, isLocal }: Session): object {
  return { name, host, isLocal };
}

export function environmentJson(environment: ChosenEnvironment | undefined): object {
  return environment ? { environment: environment.name, production: environment.production } : {};
}

function stepJson(part: Exclude<PlanPart, { kind: 'blocked' }>, priceOf: PriceOf): object {
  const { fileName: file, part: index, name } = part;
  const place = { name, file, part: index };
  if (part.kind === 'unchanged')
    return { action: 'unchanged', ...place, endpointId: part.endpoint.id, isVerified: !part.unverified };
  const priceAfter = priceJson(priceOf(part.manifest));
  if (part.kind === 'create') return { action: 'create', ...place, ...testJson(part), priceAfter };
  return {
    action: 'update',
    ...place,
    endpointId: part.endpoint.id,
    changes: part.changes.map(changeJson),
    replacesWorkers: part.replacesWorkers,
    ...testJson(part),
    priceBefore: priceJson(priceOf(part.endpoint)),
    priceAfter,
  };
}

function testJson({ test }: CreateStep | UpdateStep): object {
  return { runsJob: test?.kind === 'job', sendsRequests: test?.kind === 'requests' };
}

function priceJson(price: ReturnType<PriceOf>): object | undefined {
  return price && { usdPerWorkerHour: price.worker, mostUsdPerHour: price.all };
}

/** Returns a change without the values of environment variables, which can be secrets. */
export function changeJson(change: SettingChange): object {
  const { field, before, after } = change;
  return field === 'env' ? { field, words: changeWords(change) } : { field, before, after };
}

/** Returns the lines of a plan. */
export function planLines(
  { environment, plan, problems, priceOf }: FolderPlan,
  { name, host }: Session,
): readonly string[] {
  const platform = `${name} (${host})`;
  return [
    `Plan for ${environment ? `${environmentWords(environment)} on ${platform}` : platform}:`,
    '',
    ...plan.parts.flatMap((part) => partLines(part, priceOf)),
    ...problems.map(problemLine),
    ...(plan.notInFiles.length > 0 ? [unmanagedLine(plan.notInFiles)] : []),
    ...(plan.parts.length + problems.length + plan.notInFiles.length > 0 ? [''] : []),
    `${summaryOf(plan) || 'no manifests (*.endpoint.yaml)'}.`,
  ].map(withoutControls);
}

/** Names an environment. Production is in capitals. */
function environmentWords({ name, production }: ChosenEnvironment): string {
  return production ? `PRODUCTION (environment ${name})` : `the environment ${name}`;
}

/** Returns the counts of a plan, such as `2 to create, 1 unchanged`. */
export function summaryOf(plan: DeploymentPlan): string {
  const count = (kind: PlanPart['kind']): number => plan.parts.filter((part) => part.kind === kind).length;
  return countWords([
    [count('create'), 'to create'],
    [count('update'), 'to update'],
    [count('unchanged'), 'unchanged'],
    [blockedParts(plan).length, 'with problems'],
    [plan.notInFiles.length, 'not in files'],
  ]);
}

function partLines(part: PlanPart, priceOf: PriceOf): readonly string[] {
  switch (part.kind) {
    case 'create':
      return [
        `  + create     ${part.name}  (${placeOf(part).text})`,
        ...testLines(part),
        ...priceLines(part, undefined, priceOf),
      ];
    case 'update':
      return [
        `  ~ update     ${part.name}  (${placeOf(part).text})`,
        ...part.changes.map((change) => `                 ${changeWords(change)}`),
        ...(part.replacesWorkers ? ['                 replaces the workers'] : []),
        ...testLines(part),
        ...priceLines(part, part.endpoint, priceOf),
      ];
    case 'unchanged':
      return [
        `    unchanged  ${part.name ?? ''}  (${placeOf(part).text})`,
        ...(part.unverified ? ['                 was not verified after its last deployment'] : []),
        ...(part.unverified ? testLines(part.unverified) : []),
      ];
    case 'blocked':
      return [];
  }
}

function testLines({ test }: Pick<CreateStep, 'test'>): readonly string[] {
  if (!test) return [];
  return [`                 ${test.kind === 'job' ? 'runs the job' : 'sends the requests'} of x-verify`];
}

function priceLines({ manifest }: CreateStep | UpdateStep, before: Endpoint | undefined, priceOf: PriceOf): string[] {
  const now = priceOf(manifest);
  const old = before && priceOf(before);
  if (!now) return ['                 the price is not known'];
  const words = `up to ${precise(now.all)} per hour`;
  if (!before) return [`                 ${words}`];
  return !old || old.all === now.all ? [] : [`                 ${words}, before ${precise(old.all)}`];
}

/** Returns a problem as compilers print it, so that editors and CI find the place. */
export function problemLine(problem: FileProblem): string {
  return `  ! ${placeInFile(problem)}: ${problem.message}`;
}

/** Returns a place such as `a.endpoint.yaml:2:7`. */
export function placeInFile({ file, line, column }: Pick<FileProblem, 'file' | 'line' | 'column'>): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}

function unmanagedLine(endpoints: readonly Endpoint[]): string {
  return `  ? not in files: ${endpoints.map(({ name }) => name).join(', ')}`;
}
