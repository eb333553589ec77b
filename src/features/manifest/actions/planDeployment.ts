import { reasonsToRefuse } from './updateEndpoint.ts';
import pMap from 'p-map';
import type { Client } from '../../../client/client.ts';
import { listAll } from '../../../client/listAll.ts';
import type { CreateEndpointBody, Endpoint } from '../../../contract/endpoint.ts';
import { processOf, processOfChange } from '../../../account/consent/trustDecision.ts';
import { withTemplate } from '../../../account/consent/withTemplate.ts';
import type { Environment } from '../../../contract/environment.ts';
import type { Resolve } from '../model/deployment/compare.ts';
import type {
  DeploymentFile,
  DeploymentPlan,
  Obstacle,
  PlanPart,
  StepSource,
} from '../model/deployment/deploymentPlan.ts';
import { replacesWorkers } from '../model/deployment/difference.ts';
import type { CheckOptions, ManifestPart } from '../model/manifestFile.ts';
import { linkOf, matchEndpoint, nameOf, type EndpointLink, type Match } from '../model/deployment/matchEndpoint.ts';
import { problemsOfChosen } from '../model/problem.ts';
import { manifestIn } from '../model/patched/environmentsOf.ts';
import { bodyOf, compareWithDeployed, NoFolderError, withKnownTemplates } from './compareWithDeployed.ts';
import { gateStateOf } from '../gate/actions/gateVerdicts.ts';
import type { EnvValues } from './resolveBody.ts';
import { readVerificationTest, TestFileError, type VerificationTests } from '../model/deployment/verificationTest.ts';

/* Compares the manifests of a folder with the endpoints of a connection. */

export interface PlanSources {
  readonly client: Client;
  readonly files: readonly DeploymentFile[];
  /** Returns the platform that a file is checked for. */
  readonly options: (file: DeploymentFile) => CheckOptions;
  /** Stored links of the connection. */
  readonly links: readonly EndpointLink[];
  /** Reads the values of the references in environments. */
  readonly valuesOf: (environments: readonly (Environment | undefined)[]) => Promise<Pick<EnvValues, 'resolve'>>;
  /** Reads the job files and the request files of manifests. */
  readonly tests: VerificationTests;
  /** Returns whether the last deployment of an endpoint was not verified. Default: never. */
  readonly isUnverified?: (endpoint: Endpoint) => Promise<boolean>;
  /** Whether a part whose `x-gate` needs a passed gate is blocked without one. Default: false. */
  readonly requiresGates?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** A part of a file with its text, its check, and its endpoint. */
interface Matched {
  readonly source: StepSource;
  readonly text: string;
  readonly folder: string | undefined;
  readonly target: CheckOptions['target'];
  /** Name of the environment that the plan is for. */
  readonly chosen: string | undefined;
  readonly part: ManifestPart;
  readonly match: Match;
}

/** Maximum number of parts that are compared at the same time. Each can read a template. */
const CONCURRENCY = 4;

/** Plans the steps that make the endpoints of a connection match the files. Sends no change. @throws ApiError */
export async function planDeployment(sources: PlanSources): Promise<DeploymentPlan> {
  const { client, files, signal } = sources;
  const { readManifestFile } = await import('../model/manifestFile.ts');
  const unreadable: PlanPart[] = [];
  const found: Omit<Matched, 'match'>[] = [];
  for (const file of files) {
    const { content, fileName, folder, language } = file;
    if ('unreadable' in content) {
      const { unreadable: reason, error } = content;
      const source = { file: file.file, fileName, part: 0, names: [undefined], name: undefined };
      unreadable.push({ ...source, kind: 'blocked', obstacle: { kind: 'unreadable', reason, error } });
      continue;
    }
    const options = sources.options(file);
    const { parts } = readManifestFile(content.text, { language, ...options });
    const names = parts.map(nameOf);
    for (const part of parts) {
      const [name, environment] = [names[part.index], part.environment?.name];
      const source = { file: file.file, fileName, part: part.index, names, name, environment };
      const { target, environment: chosen } = options;
      found.push({ source, text: content.text, folder, target, chosen, part });
    }
  }
  // Read before the first request, so that the values can be removed from its error.
  const { resolve } = await sources.valuesOf(found.map(({ part }) => part.manifest?.env));
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal });
  const matched = found.map((one): Matched => {
    const linkedId = linkOf(sources.links, one.source)?.endpointId;
    return { ...one, match: matchEndpoint({ name: one.source.name, linkedId }, endpoints) };
  });
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const context = { ...sources, client: withKnownTemplates(client), byId, resolve };
  const compared = await pMap(matched, (one) => planPart(one, conflictsOf(one, matched), context), {
    concurrency: CONCURRENCY,
  });
  const described = describedIds(matched, sources);
  const otherNames = new Set(found.flatMap(({ part }) => namesInEnvironments(part)));
  return {
    parts: [...compared, ...unreadable],
    notInFiles: endpoints.filter(({ id, name }) => !described.has(id) && !otherNames.has(name)),
    complete: unreadable.length === 0 && matched.every(({ source, match }) => hasName(source) || match.kind === 'one'),
  };
}

/** Returns the names that a manifest gives its endpoints in all its environments. */
function namesInEnvironments({ root, environments }: ManifestPart): readonly string[] {
  return environments.flatMap((environment) => nameOf({ root: manifestIn(environment, root) }) ?? []);
}

function hasName({ name }: StepSource): boolean {
  return name !== undefined;
}

/** Returns the endpoints that files describe, with errors or not. The links of an unreadable file count too. */
function describedIds(matched: readonly Matched[], { files, links }: PlanSources): ReadonlySet<string> {
  const ids = matched.flatMap(({ match }) => {
    if (match.kind === 'none') return [];
    return match.kind === 'one' ? [match.endpointId] : match.endpointIds;
  });
  const broken = new Set([
    ...files.filter(({ content }) => 'unreadable' in content).map(({ file }) => file),
    ...matched.filter(({ source }) => !hasName(source)).map(({ source }) => source.file),
  ]);
  return new Set([...ids, ...links.filter(({ file }) => broken.has(file)).map(({ endpointId }) => endpointId)]);
}

/** Returns the other parts with the same name or the same endpoint. Each part counts, valid or not. */
function conflictsOf(one: Matched, all: readonly Matched[]): readonly StepSource[] {
  const isRival = ({ source, match }: Matched) =>
    (hasName(source) && source.name === one.source.name) ||
    (match.kind === 'one' && one.match.kind === 'one' && match.endpointId === one.match.endpointId);
  return all.filter((other) => other !== one && isRival(other)).map(({ source }) => source);
}

interface Context extends Omit<PlanSources, 'client'> {
  readonly resolve: Resolve;
  readonly client: Pick<Client, 'getTemplate'>;
  readonly byId: ReadonlyMap<string, Endpoint>;
}

async function planPart(one: Matched, rivals: readonly StepSource[], context: Context): Promise<PlanPart> {
  const { source, text, part, match } = one;
  const blocked = (obstacle: Obstacle): PlanPart => ({ ...source, kind: 'blocked', obstacle });
  const { manifest, environments, environment } = part;
  if (environments.length > 0 && !environment)
    return blocked({ kind: 'environment', chosen: one.chosen, known: environments.map(({ name }) => name) });
  if (!manifest) return blocked(firstProblem(text, part));
  if (rivals.length > 0) return blocked({ kind: 'conflict', others: rivals });
  if (match.kind === 'ambiguous') return blocked({ kind: 'ambiguous', endpointIds: match.endpointIds });
  const endpoint = match.kind === 'one' ? context.byId.get(match.endpointId) : undefined;
  try {
    const valid = { ...one, manifest };
    const planned = endpoint ? await planUpdate(valid, endpoint, context) : await planCreation(valid, context);
    if (context.requiresGates !== true || (planned.kind !== 'create' && planned.kind !== 'update')) return planned;
    const { value } = part.parsed;
    const state = await gateStateOf({ file: source.file, manifest, value, target: one.target });
    return state ? blocked({ kind: 'gate', state, value }) : planned;
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof TestFileError) return blocked({ kind: 'testFile', field: error.field, reason: error.message });
    return blocked(error instanceof NoFolderError ? { kind: 'noFolder' } : { kind: 'notCompared', error });
  }
}

function firstProblem(text: string, part: ManifestPart): Obstacle {
  const problems = problemsOfChosen(part);
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [problem = problems[0]] = errors;
  // A part without a manifest has a problem.
  if (!problem) return { kind: 'unreadable', reason: 'notText' };
  const line = text.slice(0, problem.start).split(/\r\n|\r|\n/).length;
  return { kind: 'invalid', problem, line, more: Math.max(0, errors.length - 1) };
}

type Valid = Matched & { readonly manifest: NonNullable<ManifestPart['manifest']> };

async function planCreation({ source, folder, target, manifest }: Valid, context: Context): Promise<PlanPart> {
  const { client, resolve } = context;
  const body = bodyOf(manifest, { target, folder });
  const env = Object.entries(body.env ?? {}).map(([name, text]) => [name, resolve(text)] as const);
  const unresolved = env.flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (unresolved.length > 0)
    return { ...source, kind: 'blocked', obstacle: { kind: 'unresolved', variables: unresolved } };
  const resolved: CreateEndpointBody = {
    ...body,
    ...(body.env && { env: Object.fromEntries(env as (readonly [string, string])[]) }),
  };
  const test = await readVerificationTest(context.tests, manifest, source.file);
  return {
    ...source,
    kind: 'create',
    name: body.name,
    manifest,
    body: resolved,
    test,
    process: processOf(await withTemplate(client, body)),
  };
}

async function planUpdate(one: Valid, endpoint: Endpoint, context: Context): Promise<PlanPart> {
  const { source, folder, target, manifest } = one;
  const { client, resolve, signal } = context;
  const comparison = await compareWithDeployed(client, { manifest, folder, target, resolve }, endpoint, signal);
  const { body, changes, unresolved } = comparison;
  const blocked = (obstacle: Obstacle): PlanPart => ({ ...source, kind: 'blocked', obstacle });
  const reasons = reasonsToRefuse(comparison, endpoint);
  if (reasons.length > 0) return blocked({ kind: 'refused', endpoint, reasons });
  if (unresolved.length > 0) return blocked({ kind: 'unresolved', variables: unresolved });
  if (Object.keys(body).length === 0) {
    const isKnown = !(await context.isUnverified?.(endpoint));
    if (isKnown) return { ...source, kind: 'unchanged', endpoint };
    const test = await readVerificationTest(context.tests, manifest, source.file);
    return { ...source, kind: 'unchanged', endpoint, unverified: { test } };
  }
  const test = await readVerificationTest(context.tests, manifest, source.file);
  return {
    ...source,
    kind: 'update',
    name: manifest.name,
    manifest,
    endpoint,
    body,
    changes,
    test,
    replacesWorkers: replacesWorkers({ body }),
    process: processOfChange(await withTemplate(client, body), endpoint),
  };
}
