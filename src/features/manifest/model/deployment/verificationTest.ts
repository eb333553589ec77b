import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { Client } from '../../../../client/client.ts';
import type { Endpoint } from '../../../../contract/endpoint.ts';
import type { JobFile } from '../../../../contract/jobFile.ts';
import type { Manifest } from '../../../../contract/manifest.ts';

/* The test that `x-verify` of a manifest describes: a job, or requests. */

interface TestPlace {
  /** URI of the file that contains the test, the base of relative paths in it. */
  readonly uri: string;
  /** Maximum time from the beginning to the end, in ms. Undefined: the time of the verification. */
  readonly limitMs: number | undefined;
}

export interface VerificationJob extends TestPlace {
  readonly kind: 'job';
  readonly file: JobFile;
}

/** The requests of a file that have expectations. */
export interface VerificationRequests extends TestPlace {
  readonly kind: 'requests';
  /** Text of the request file. */
  readonly text: string;
}

export type VerificationTest = VerificationJob | VerificationRequests;

/** An expectation that a job or a request does not meet. */
export interface Difference {
  /** Path in the job, such as `$.output.greeting`, or in a response, such as `GET /health: $.status`. */
  readonly path: string;
  /** One line, which contains foreign text. */
  readonly message: string;
}

/** The end of a test, and what differs from its expectations. */
export type TestVerdict = (
  | { readonly jobId: string }
  /** Number of requests that have a response. */
  | { readonly requests: number }
) & {
  readonly differences: readonly Difference[];
  /** The last lines of the worker's log. Empty if nothing differs. */
  readonly log: readonly string[];
};

export type JudgedTest = TestVerdict & {
  /** The workers that the test has reached. */
  readonly workerIds: readonly string[];
};

/** Runs a kind of test to its end, or ends it after the time limit, which is a difference. */
type RunTest<Test> = (
  client: Client,
  endpoint: Endpoint,
  test: Test & {
    readonly limitMs: number;
    /** The time at which `limitMs` ends, in ms since the epoch. A test that runs again has the rest of its time. */
    readonly endsAt: number;
  },
  signal: AbortSignal,
) => Promise<JudgedTest>;

/** Reads and runs the jobs of `x-verify`. The feature of jobs implements it, because it also depends on manifests. */
export interface VerificationJobs {
  /** Reads a job file. Returns its first problem in words if it is not valid. */
  readonly read: (uri: string) => Promise<{ readonly file: JobFile } | { readonly problem: string }>;
  /** @throws ApiError if the job is not accepted or its state cannot be read; the reason of the signal after a cancellation */
  readonly run: RunTest<VerificationJob>;
}

/** Reads and sends the requests of `x-verify`. The feature of requests implements it. */
export interface RequestVerifier {
  /** Reads a request file for an endpoint. Returns its first problem in words if a request with expectations is not valid. */
  readonly read: (uri: string, endpoint: string) => Promise<{ readonly text: string } | { readonly problem: string }>;
  /** @throws ApiError if there is no response; the reason of the signal after a cancellation */
  readonly run: RunTest<VerificationRequests>;
}

export interface VerificationTests {
  readonly jobs: VerificationJobs;
  readonly requests: RequestVerifier;
}

/** Thrown for the file of a test that does not exist or is not valid. */
export class TestFileError extends Error {
  /** Field of `x-verify` that names the file. */
  readonly field: 'job' | 'request';

  constructor(field: TestFileError['field'], reason: string) {
    super(reason);
    this.name = 'TestFileError';
    this.field = field;
  }
}

/** Returns the test of a manifest. @param uri of the manifest @throws TestFileError */
export async function readVerificationTest(
  { jobs, requests }: { readonly [Kind in keyof VerificationTests]: Pick<VerificationTests[Kind], 'read'> },
  { name, 'x-verify': verify }: Pick<Manifest, 'name' | 'x-verify'>,
  uri: string,
): Promise<VerificationTest | undefined> {
  if (!verify) return undefined;
  const { job, request, input = {}, expect, timeout } = verify;
  const limitMs = timeout === undefined ? undefined : 1_000 * timeout;
  if (request !== undefined) {
    const place = uriOf('request', request, uri);
    const found = await requests.read(place, name);
    if ('problem' in found) throw new TestFileError('request', found.problem);
    return { kind: 'requests', text: found.text, uri: place, limitMs };
  }
  if (job === undefined) return { kind: 'job', file: { input, ...(expect && { expect }) }, uri, limitMs };
  const place = uriOf('job', job, uri);
  const found = await jobs.read(place);
  if ('problem' in found) throw new TestFileError('job', found.problem);
  return { kind: 'job', file: found.file, uri: place, limitMs };
}

/** Runs a test of either kind. @throws as its kind */
export function runVerificationTest(
  { jobs, requests }: VerificationTests,
  ...[client, endpoint, test, signal]: Parameters<RunTest<VerificationTest>>
): Promise<JudgedTest> {
  return test.kind === 'job' ? jobs.run(client, endpoint, test, signal) : requests.run(client, endpoint, test, signal);
}

function uriOf(field: TestFileError['field'], file: string, manifest: string): string {
  if (path.isAbsolute(file)) return pathToFileURL(file).href;
  const encoded = file.split(/[\\/]/).map(encodeURIComponent).join('/');
  if (!URL.canParse(encoded, manifest))
    throw new TestFileError(
      field,
      field === 'job'
        ? l10n.t('the path of the job file is relative, but the manifest is not saved')
        : l10n.t('the path of the request file is relative, but the manifest is not saved'),
    );
  return new URL(encoded, manifest).href;
}
