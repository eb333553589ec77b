import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { MAX_RUN_BYTES } from '../../contract/job.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Manifest } from '../../contract/manifest.ts';
import { MAX_ROUTE_BYTES } from '../../contract/route.ts';
import { verificationJobs } from '../../features/jobs/expectations/actions/runExpectation.ts';
import { verifyDeployment } from '../../features/manifest/actions/verifyDeployment.ts';
import {
  evidenceOf,
  isVerified,
  verificationWords,
  type Verification,
} from '../../features/manifest/model/deployment/verification.ts';
import {
  readVerificationTest,
  TestFileError,
  type VerificationTest,
  type VerificationTests,
} from '../../features/manifest/model/deployment/verificationTest.ts';
import { requestVerifier } from '../../features/requests/actions/requestVerifier.ts';
import { ToolError } from '../model/toolError.ts';
import { FOREIGN, type CallContext, type ToolContext } from './agentTool.ts';
import type { GivenManifest } from './readManifestInput.ts';

/* The verification of an endpoint that a tool has deployed. */

const DEFAULT_WAIT_S = 300;
/** Maximum size of a job file, a request file, or a schema, in bytes. */
const MAX_FILE_BYTES = 2 * MAX_RUN_BYTES;

export const verifySecondsField = z
  .int()
  .min(0)
  .max(600)
  .default(DEFAULT_WAIT_S)
  .describe(
    `Maximum time to wait until the endpoint works, with the test of x-verify. 0: returns at once, without a verification. Default: ${DEFAULT_WAIT_S}.`,
  );

/** Reads the test of a manifest, which is in a file of the workspace. @throws ToolError if it cannot be used */
export async function testOf(
  context: Pick<ToolContext, 'files'>,
  { folder }: Pick<GivenManifest, 'folder'>,
  manifest: Manifest,
): Promise<VerificationTest | undefined> {
  const uri = folder === undefined ? 'untitled:manifest' : pathToFileURL(path.join(folder, 'manifest')).href;
  try {
    return await readVerificationTest(testsIn(context), manifest, uri);
  } catch (error) {
    if (!(error instanceof TestFileError)) throw error;
    throw new ToolError('invalidInput', `x-verify.${error.field}: ${error.message}.`);
  }
}

/** Returns the line of a question that names the test. */
export function testLines(test: VerificationTest | undefined): readonly string[] {
  if (!test) return [];
  return [
    test.kind === 'job' ? l10n.t('Then runs the job of x-verify.') : l10n.t('Then sends the requests of x-verify.'),
  ];
}

export interface DeployedBy {
  readonly test: VerificationTest | undefined;
  /** Maximum time, in seconds. 0: no verification. */
  readonly verifySeconds: number;
}

/** Watches a deployed endpoint until it works, and returns whether it does, with the reason. */
export async function deployedResult(
  context: CallContext,
  endpoint: Endpoint,
  { test, verifySeconds }: DeployedBy,
): Promise<object> {
  const { client, isLocal } = context.connection();
  const verification: Verification =
    verifySeconds === 0
      ? { outcome: 'skipped' }
      : await verifyDeployment(client, endpoint, {
          ...{ platform: isLocal ? 'local' : 'hosted', limitMs: verifySeconds * 1_000, signal: context.signal },
          ...{ test, tests: testsIn(context) },
          onState: ({ headline }) => context.report(`“${endpoint.name}”: ${headline}`),
        });
  const isDeployed = isVerified(verification) && verification.outcome !== 'skipped';
  const evidence = evidenceOf(verification);
  return {
    deployed: isDeployed,
    verification: {
      outcome: verification.outcome,
      result: verificationWords(verification),
      ...(evidence.length > 0 && { evidence, note: FOREIGN }),
    },
    next: isDeployed ? nextOf(endpoint) : NOT_DEPLOYED,
  };
}

const NOT_DEPLOYED =
  'The platform has the settings, but they are not verified. Read the endpoint with read_endpoints and its lines with read_logs, correct the cause, and update the endpoint. Do not say that it is deployed.';

function nextOf({ type, workers }: Endpoint): string {
  const call = type === 'LOAD_BALANCER' ? 'Send a request with send_request.' : 'Run a job with run_job.';
  return workers.min === 0 ? `${call} It can wait for the start of a worker.` : call;
}

/** Reads the files of tests in the workspace only. */
function testsIn({ files }: Pick<ToolContext, 'files'>): VerificationTests {
  const textOf = async (uri: string): Promise<string> =>
    new TextDecoder().decode(await files.read(fileURLToPath(uri), MAX_FILE_BYTES));
  const beside = (uri: string) => (file: string) => path.resolve(path.dirname(fileURLToPath(uri)), file);
  return {
    jobs: verificationJobs(textOf),
    requests: requestVerifier({
      readText: textOf,
      filesBeside: (uri) => ({
        size: async (file) => (await files.find(beside(uri)(file))).size,
        read: async (file) => new Uint8Array(await files.read(beside(uri)(file), MAX_ROUTE_BYTES)),
      }),
    }),
  };
}
