import { ApiError, type ErrorKind } from '../../client/apiError.ts';
import { UserError } from '../../kit/userError.ts';
import { NoFolderError } from '../../features/manifest/actions/compareWithDeployed.ts';
import { InvalidManifestError } from '../../features/manifest/actions/createEndpoint.ts';
import { UnresolvedReferencesError } from '../../features/manifest/actions/resolveBody.ts';
import { referenceText } from '../../account/secrets/envReferences.ts';
import { ToolError, type ToolErrorCode } from '../model/toolError.ts';

/** A failure, for a model: what is wrong, and what to do. */
export interface ToolProblem {
  readonly code:
    ToolErrorCode | ErrorKind | 'invalidManifest' | 'unresolvedReferences' | 'noFolder' | 'failed' | 'unexpected';
  readonly message: string;
  readonly remedy: string;
  /** ID of a job that runs although the call failed. */
  readonly jobId?: string;
}

const remediesOfKinds: Readonly<Record<ErrorKind, string>> = {
  canceled: 'The user canceled the call. Do not repeat it unless the user asks for it.',
  unauthorized:
    'The platform did not accept the API key. Ask the user to replace it with the command “Replace API Key…”.',
  forbidden: 'The API key does not allow this. Ask the user for a key with more permissions.',
  notFound: 'The object does not exist. Call read_endpoints for the current names and IDs.',
  validation: 'The platform did not accept the request. Correct the named fields and try again.',
  rateLimited: 'The platform received too many requests. Wait before the next call.',
  network: 'The platform cannot be reached. Ask the user to check the connection, or call start_local_platform.',
  timeout: 'The platform did not respond in time. Read the current state before you try again.',
  server: 'The platform failed. Read the current state before you try again.',
};

const remediesOfTools: Readonly<Record<ToolErrorCode, string>> = {
  notConnected: 'Call start_local_platform to use the free local platform, or ask the user to connect to a platform.',
  notRunning: 'Call start_local_platform first.',
  untrusted: 'Ask the user to trust the workspace with the command “Manage Workspace Trust”.',
  declined: 'The user declined. Do not repeat the call. Ask the user what to change.',
  notAllowed:
    'Nothing changed. Tell the user what would have happened. The user can restart the MCP server with --allow-changes, or use a client that supports elicitation.',
  secretsUnreadable:
    'Ask the user to unlock or repair the secret storage. Read the current state before you repeat a call that changes something.',
  editFailed: 'Read the reason. Change the prompt or the image, or ask the user.',
  changed: 'Read the current state and call the tool again, so that the user can agree to the present change.',
  invalidInput: 'Correct the arguments and call the tool again.',
  outsideWorkspace: 'Use a path inside the workspace.',
  noFile: 'Check the path, which is relative to the workspace folder.',
  fileExists: 'Choose another name. Tools do not replace files.',
  nameTaken: 'Use the action update to change the existing endpoint, or createAnother to create a second one.',
  gateRequired:
    'Run “cloud-compute gate” with the manifest in a terminal, and correct the worker until it passes. Only the user can deploy without it.',
  notPossible: 'Read the message. The same call fails again.',
  tooLarge: 'Use a smaller file or ask for less.',
  notFound: 'Call read_endpoints for the current names and IDs.',
  ambiguous: 'Repeat the call with one of the IDs.',
};

/** Returns the problem that an error reports. */
export function problemOfError(error: unknown): ToolProblem {
  if (error instanceof ToolError)
    return { code: error.code, message: error.message, remedy: remediesOfTools[error.code] };
  if (error instanceof ApiError) {
    const { kind, jobId } = error;
    const message = error.errors.length > 0 ? error.errors.join('; ') : error.message;
    return { code: kind, message, remedy: remediesOfKinds[kind], ...(jobId !== undefined && { jobId }) };
  }
  if (error instanceof InvalidManifestError)
    return {
      code: 'invalidManifest',
      message: error.problems.map(({ message }) => message).join('; '),
      remedy: 'Call validate_manifest for the places and fixes, correct the manifest, and try again.',
    };
  if (error instanceof UnresolvedReferencesError)
    return {
      code: 'unresolvedReferences',
      message: `These references have no value: ${error.references.map(referenceText).join(', ')}`,
      remedy:
        'Ask the user to set them. Secrets are set with the command “Add Secret…”. Never ask for a value in the chat.',
    };
  if (error instanceof NoFolderError)
    return {
      code: 'noFolder',
      message: error.message,
      remedy: 'Save the manifest as a file of the workspace and pass its path, or use an absolute directory.',
    };
  if (error instanceof UserError)
    return {
      code: 'failed',
      message: error.message,
      remedy: 'Tell the user. Read the current state before you try again.',
    };
  if (error instanceof Error && error.name === 'AbortError')
    return { code: 'canceled', message: 'canceled', remedy: remediesOfKinds.canceled };
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'unexpected',
    message,
    remedy: 'This is a defect of the tool. Tell the user, and do not repeat the call.',
  };
}
