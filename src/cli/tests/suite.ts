import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JobFile } from '../../contract/jobFile.ts';
import { readJobFile } from '../../features/jobs/model/checkJobFile.ts';
import { lineAndColumn } from '../../features/jobs/model/jobInput.ts';
import { manifestOfJobFile } from '../../features/jobs/model/manifestOfJobFile.ts';
import type { RouteEndpoint } from '../../features/requests/model/endpointLookup.ts';
import type { ResponseExpectation } from '../../features/requests/model/expectation.ts';
import type { HttpFile, ParsedBlock } from '../../features/requests/model/httpFile.ts';
import { parseHttpFile } from '../../features/requests/model/parseHttpFile.ts';
import { resolveRequest } from '../../features/requests/model/resolveRequest.ts';
import { readFiles, readManifests, type FoundFile } from '../../features/manifest/actions/readManifests.ts';
import { HTTP_FILES, JOB_FILES } from '../../features/manifest/model/testFiles.ts';
import { readManifestFile, type ManifestPart } from '../../features/manifest/model/manifestFile.ts';
import { localFiles } from '../localFiles.ts';

/** An endpoint of a manifest. */
export interface SuiteEndpoint {
  /** Path of the manifest relative to the folder of the suite, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Absolute path of the manifest's folder. */
  readonly folder: string;
  readonly language: 'yaml' | 'json';
  /** Index in the file. */
  readonly part: number;
  readonly name: string | undefined;
  readonly type: string | undefined;
  readonly isValid: boolean;
}

/** A job file with expectations. */
interface JobTest {
  readonly kind: 'job';
  /** Path relative to the folder of the suite, with slashes. */
  readonly path: string;
  readonly uri: string;
  readonly file: JobFile;
  readonly endpoint: SuiteEndpoint;
}

/** A request with expectations. */
export interface RequestTest {
  readonly kind: 'request';
  /** Path of its file, and its name. */
  readonly path: string;
  /** URI of its file. */
  readonly uri: string;
  readonly file: HttpFile;
  readonly block: ParsedBlock;
  readonly expect: ResponseExpectation;
  /** Name of the endpoint of requests that name none. */
  readonly defaultEndpoint: string | undefined;
  readonly endpoint: SuiteEndpoint;
}

export type SuiteTest = JobTest | RequestTest;

/** A file that cannot be used. */
export interface SuiteProblem {
  readonly path: string;
  readonly message: string;
}

export interface Suite {
  readonly endpoints: readonly SuiteEndpoint[];
  readonly tests: readonly SuiteTest[];
  readonly problems: readonly SuiteProblem[];
}

const unreadableWords = {
  folder: 'is a folder',
  tooLarge: 'is too large',
  notText: 'is not UTF-8 text',
  unreadable: 'cannot be read',
} as const;

/** Reads the manifests, the job files, and the requests of a folder. @throws the error of the file system if the folder cannot be read */
export async function readSuite(folder: string, filter: string | undefined, signal: AbortSignal): Promise<Suite> {
  const problems: SuiteProblem[] = [];
  const endpoints = (await readManifests(localFiles, folder, signal)).flatMap((file) => endpointsOf(file, problems));
  const wanted = ({ path: name }: FoundFile<string>) => filter === undefined || matches(name, filter);
  const files = (await readFiles(localFiles, folder, JOB_FILES, signal)).filter(wanted);
  const requests = (await readFiles(localFiles, folder, HTTP_FILES, signal)).filter(wanted);
  const tests = [
    ...files.flatMap((file) => testOf(file, endpoints) ?? []),
    ...requests.flatMap((file) => requestTestsOf(file, endpoints)),
  ];
  return {
    endpoints,
    tests: tests.filter((test) => 'kind' in test),
    problems: [...problems, ...tests.filter((test) => 'message' in test)],
  };
}

/** Matches a pattern without a slash with the name of the file. */
function matches(file: string, filter: string): boolean {
  return path.matchesGlob(filter.includes('/') ? file : path.posix.basename(file), filter);
}

function endpointsOf({ path: name, place, content }: FoundFile<string>, problems: SuiteProblem[]): SuiteEndpoint[] {
  if ('unreadable' in content) {
    problems.push({ path: name, message: unreadableWords[content.unreadable] });
    return [];
  }
  const { text } = content;
  const language = name.endsWith('.json') ? 'json' : 'yaml';
  return readManifestFile(text, { language, target: 'local' }).parts.map((part) => {
    if (!part.manifest) problems.push({ path: name, message: firstError(text, part) });
    const { name: endpointName, type } = nameAndType(part);
    const at = { path: name, text, folder: path.dirname(place), language, part: part.index } as const;
    return { ...at, name: endpointName, type, isValid: part.manifest !== undefined };
  });
}

function firstError(text: string, { problems }: ManifestPart): string {
  const problem = problems.find(({ severity }) => severity === 'error') ?? problems[0];
  if (!problem) return 'is not a valid manifest';
  const { line, column } = lineAndColumn(text, problem.start);
  return `line ${line}, column ${column}: ${problem.message}`;
}

/** Returns the name and the type of a part, which can have errors elsewhere. */
function nameAndType({ value }: ManifestPart): {
  readonly name: string | undefined;
  readonly type: string | undefined;
} {
  const { name, type } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const textOf = (member: unknown) => (typeof member === 'string' ? member : undefined);
  return { name: textOf(name), type: textOf(type) };
}

/** Returns the test in a job file, or its problem. Undefined for a file without expectations. */
function testOf(
  { path: name, place, content }: FoundFile<string>,
  endpoints: readonly SuiteEndpoint[],
): SuiteTest | SuiteProblem | undefined {
  const problem = (message: string): SuiteProblem => ({ path: name, message });
  if ('unreadable' in content) return problem(unreadableWords[content.unreadable]);
  const read = readJobFile(content.text);
  if (!read.file) {
    const { line, column } = lineAndColumn(content.text, read.offset);
    return problem(`line ${line}, column ${column}: ${read.problem}`);
  }
  const { file } = read;
  if (!file.expect) return undefined;
  const endpoint = manifestOfJobFile({ path: name, endpoint: file.endpoint }, endpoints);
  if (endpoint && (file.endpoint === undefined || endpoint.name === file.endpoint))
    return { kind: 'job', path: name, uri: pathToFileURL(place).href, file, endpoint };
  if (file.endpoint === undefined)
    return problem('no manifest belongs to this file; name its endpoint in the property "endpoint"');
  const named = endpoints.find((each) => each.name === file.endpoint);
  return problem(
    named
      ? `${named.path} describes a load-balanced endpoint, which takes no jobs`
      : `no manifest has the name '${file.endpoint}'`,
  );
}

/** Returns the requests of a file that are tests, or their problems. */
function requestTestsOf(
  { path: name, place, content }: FoundFile<string>,
  endpoints: readonly SuiteEndpoint[],
): (RequestTest | SuiteProblem)[] {
  if ('unreadable' in content) return [{ path: name, message: unreadableWords[content.unreadable] }];
  const file = parseHttpFile(content.text);
  const invalid = file.problems.find(({ code }) => code === 'invalidExpectation');
  const problemAt = ({ start, message }: { readonly start: number; readonly message: string }): SuiteProblem => {
    const { line, column } = lineAndColumn(content.text, start);
    return { path: name, message: `line ${line}, column ${column}: ${message}` };
  };
  if (invalid) return [problemAt(invalid)];
  const inFolder = endpoints.filter(({ folder, type }) => folder === path.dirname(place) && type === 'LOAD_BALANCER');
  const defaultEndpoint = inFolder.length === 1 ? inFolder[0]?.name : undefined;
  const context = {
    endpoints: endpoints.flatMap((one, index) => routeEndpointOf(one, index) ?? []),
    ...{ defaultEndpoint, now: 0, random: () => 0 },
  };
  return file.blocks.flatMap((block) => {
    const { expect } = block;
    if (!expect) return [];
    const { request, problems } = resolveRequest(file, block, context);
    if (!request) return problemAt(problems[0]);
    const endpoint = endpoints[Number(request.endpointId)];
    if (!endpoint) return [];
    const test = `${name}: ${block.name ?? `${block.method} ${request.path}`}`;
    return {
      kind: 'request',
      path: test,
      uri: pathToFileURL(place).href,
      file,
      block,
      expect,
      defaultEndpoint,
      endpoint,
    };
  });
}

/** Returns an endpoint of a manifest for requests. It has no address yet, and its index as its ID. */
function routeEndpointOf({ name, type }: SuiteEndpoint, index: number): RouteEndpoint | undefined {
  if (name === undefined) return undefined;
  const isBalanced = type === 'LOAD_BALANCER';
  return { id: String(index), name, type: isBalanced ? 'LOAD_BALANCER' : 'QUEUE', base: `http://${index}.invalid` };
}
