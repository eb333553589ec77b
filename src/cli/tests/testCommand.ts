import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { counted } from '../../agents/model/boundedOutput.ts';
import { plainLine } from '../../features/jobs/actions/workerLogSince.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { junitReporter } from './report/junit.ts';
import { tapReporter } from './report/tap.ts';
import { runTests, type TestFlags } from './runTests.ts';
import { readSuite, type SuiteProblem, type SuiteEndpoint } from './suite.ts';
import { startPrivatePlatform, type PrivatePlatform } from '../../account/localPlatform/privatePlatform.ts';
import { PlatformStartError } from '../../machine/platformLaunch.ts';
import { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import { variable } from '../../contract/environment.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { createEndpoint, readDraft } from '../../features/manifest/actions/createEndpoint.ts';
import { UnresolvedReferencesError } from '../../features/manifest/actions/resolveBody.ts';
import type { ValueSource } from '../../account/secrets/envReferences.ts';
import type { Reporter, TestResult } from './report/result.ts';

/**
 * Runs the tests of a folder, and writes the report.
 *
 * @returns the exit code, except for an interruption
 * @throws CannotRunError if nothing could run
 */
export async function testCommand(flags: TestFlags, { signal, ...surroundings }: Surroundings): Promise<number> {
  const { environment, tell, write, platformScript } = surroundings;
  const folder = path.resolve(flags.folder);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new CannotRunError(`the folder ${flags.folder} does not exist`, EXIT_CODES.cannotTest);
  const suite = await readSuite(folder, flags.filter, signal);
  const problems: SuiteProblem[] = [];
  const report = (found: readonly SuiteProblem[]): void => {
    problems.push(...found);
    for (const problem of found) tell(problemText(problem));
  };
  const writer = new ReportWriter(flags.reporter === 'tap' ? tapReporter() : junitReporter(), suite.tests);
  const finish = async (bailOut?: string): Promise<void> => {
    const text = writer.end(bailOut);
    if (flags.output === undefined) write(text);
    else await writeFile(flags.output, text);
  };
  report(suite.problems);
  if (problems.length > 0 && !flags.keepGoing) {
    await finish(bailOutOf(problems));
    return EXIT_CODES.cannotTest;
  }
  if (suite.tests.length === 0) {
    await finish('no tests');
    throw new CannotRunError(
      flags.filter === undefined
        ? `${flags.folder} has no job file with "expect" and no request with "@expect" that can run`
        : `no job file with "expect" and no request with "@expect" in ${flags.folder} matches ${flags.filter}`,
      EXIT_CODES.cannotTest,
    );
  }

  const platform = await startTestPlatform(platformScript);
  // Requests end when the platform does.
  const platformEnded = new AbortController();
  const lost = platform.ended.then((reason) => {
    platformEnded.abort();
    return reason;
  });
  const stopping = AbortSignal.any([signal, platformEnded.signal]);
  try {
    const { client } = platform;
    const { created, problems: refused } = await createEndpoints(client, suite.endpoints, environment, stopping);
    report(refused);
    const runnable = suite.tests.filter(({ endpoint }) => created.has(endpoint));
    let bailOut = refused.length > 0 && !flags.keepGoing ? bailOutOf(refused) : undefined;
    if (bailOut === undefined) {
      const endpointOf = ({ endpoint }: (typeof runnable)[number]) => {
        const found = created.get(endpoint);
        if (!found) throw new CannotRunError(`the endpoint of ${endpoint.path} does not exist`, EXIT_CODES.cannotTest);
        return found;
      };
      for (const test of suite.tests.filter((one) => !created.has(one.endpoint))) {
        const reason = problems.find((problem) => problem.path === test.endpoint.path)?.message ?? '';
        const nothing = { mismatches: [], durationMs: 0, log: [] };
        const endpoint = test.endpoint.name ?? test.endpoint.path;
        writer.add(test, { path: test.path, endpoint, outcome: 'error', reason, ...nothing });
      }
      const onResult = writer.add.bind(writer);
      const running = runTests({ ...flags, client, tests: runnable, endpointOf, signal: stopping, onResult });
      // The platform ends its jobs and workers itself, so an interruption does not wait for the cancellation of each job.
      bailOut = await Promise.race([running, aborted(stopping)]);
    }
    signal.throwIfAborted();
    if (platformEnded.signal.aborted) {
      const reason = `the local platform stopped: ${(await lost) ?? 'it received a request to stop'}`;
      await finish(reason);
      throw new CannotRunError(reason, EXIT_CODES.cannotTest);
    }
    await finish(bailOut);
    const { passed, failed, error } = writer.counts;
    tell(
      `${counted(suite.tests.length, 'test')}: ${passed} passed, ${failed} failed, ${suite.tests.length - passed - failed} could not run`,
    );
    if (bailOut !== undefined) tell(plainLine(bailOut));
    if (error > 0 || bailOut !== undefined || problems.length > 0) return EXIT_CODES.cannotTest;
    return failed > 0 ? EXIT_CODES.failed : EXIT_CODES.done;
  } finally {
    await platform.stop();
  }
}

/** Resolves once the signal is aborted. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function problemText({ path: file, message }: SuiteProblem): string {
  return plainLine(`${file}: ${message}`);
}

function bailOutOf([first, ...more]: readonly SuiteProblem[]): string {
  const others = more.length > 0 ? ` (and ${more.length} more)` : '';
  return `${first ? problemText(first) : ''}${others}`;
}

/** Starts a platform for tests. @throws CannotRunError with the platform's explanation */
async function startTestPlatform(script: string): Promise<PrivatePlatform> {
  try {
    return await startPrivatePlatform({ script });
  } catch (error) {
    if (!(error instanceof PlatformStartError)) throw error;
    throw new CannotRunError(`the local platform cannot start: ${error.message}`, EXIT_CODES.cannotTest);
  }
}

interface CreatedEndpoints {
  readonly created: ReadonlyMap<SuiteEndpoint, Endpoint>;
  readonly problems: readonly SuiteProblem[];
}

/** Creates the endpoints of the valid manifests, one after the other. References in `env` have the values of environment variables. */
async function createEndpoints(
  client: Client,
  endpoints: readonly SuiteEndpoint[],
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<CreatedEndpoints> {
  const values: ValueSource = {
    variable: (name) => variable(environment, name),
    secret: (name) => Promise.resolve(variable(environment, name)),
  };
  // A new platform has no store of endpoints to refresh.
  const store = { refresh: () => Promise.resolve() };
  const created = new Map<SuiteEndpoint, Endpoint>();
  const problems: SuiteProblem[] = [];
  for (const endpoint of endpoints.filter(({ isValid }) => isValid)) {
    try {
      const draft = await readDraft({ ...endpoint, target: 'local' });
      created.set(endpoint, await createEndpoint({ client, store, values }, draft, signal));
    } catch (error) {
      signal.throwIfAborted();
      problems.push({ path: endpoint.path, message: creationWords(error) });
    }
  }
  return { created, problems };
}

function creationWords(error: unknown): string {
  if (error instanceof UnresolvedReferencesError) {
    const names = [...new Set(error.references.map(({ name }) => name))];
    return `env has references without a value; set the environment variables ${names.join(', ')}`;
  }
  if (error instanceof ApiError && error.errors.length > 0)
    return `the endpoint cannot be created: ${error.errors.join('; ')}`;
  return `the endpoint cannot be created: ${(error as Error).message}`;
}

/** Writes a report with the results in the order of the tests, although the tests end in any order. */
export class ReportWriter<Test> {
  readonly #reporter: Reporter;
  readonly #tests: readonly Test[];
  readonly #results = new Map<Test, TestResult>();

  constructor(reporter: Reporter, tests: readonly Test[]) {
    this.#reporter = reporter;
    this.#tests = tests;
  }

  add(test: Test, result: TestResult): void {
    this.#results.set(test, result);
  }

  /** Numbers of results by outcome. */
  get counts(): Readonly<Record<TestResult['outcome'], number>> {
    const count = (outcome: TestResult['outcome']) =>
      [...this.#results.values()].filter((result) => result.outcome === outcome).length;
    return { passed: count('passed'), failed: count('failed'), error: count('error') };
  }

  /** Returns the whole report. @param bailOut reason why tests without a result did not run */
  end(bailOut: string | undefined): string {
    const results = this.#tests.flatMap((test) => this.#results.get(test) ?? []);
    return [
      this.#reporter.begin(this.#tests.length),
      ...results.map((result) => this.#reporter.test(result)),
      this.#reporter.end(bailOut),
    ].join('');
  }
}
