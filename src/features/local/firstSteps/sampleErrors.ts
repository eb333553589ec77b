import * as l10n from '@vscode/l10n';
import type { CommandId } from '../../../kit/commandIds.ts';
import { UserError, type Remedy } from '../../../kit/userError.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { SampleError, type SampleErrorCode } from './actions/sampleError.ts';

const TRY: CommandId = 'cloudCompute.sample.try';

/** A failed start of the local platform. The message contains the reason. */
export class PlatformStartFailed extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'PlatformStartFailed';
  }
}

/** Returns the error with its message and remedy, if it has them. Returns other errors unchanged. */
export function explained(error: unknown, folder: string): unknown {
  if (error instanceof PlatformStartFailed) {
    const openLog: Remedy = { label: l10n.t('Open Log'), command: 'cloudCompute.localPlatform.openLog' };
    return new UserError(l10n.t`the local platform did not start (${error.message})`, openLog);
  }
  return error instanceof SampleError ? new UserError(messages[error.code](error, folder), remedyOf(error)) : error;
}

const messages: Readonly<Record<SampleErrorCode, (error: SampleError, folder: string) => string>> = {
  notEmpty: (_, folder) => l10n.t`${folder} contains other files, which stay unchanged`,
  notFolder: (_, folder) => l10n.t`${folder} is not in a folder`,
  unwritable: ({ reason = '' }, folder) => l10n.t`the sample cannot be copied to ${folder} (${reason})`,
  changed: ({ reason = '' }, folder) => l10n.t`the copy in ${folder} was changed and is not valid (${reason})`,
  workerFailed: () => l10n.t('its worker cannot run. It needs Node.js 18 or newer, as the command “node”'),
  platformStopped: () => l10n.t('the local platform stopped. The job is saved and resumes when the platform restarts'),
};

function remedyOf({ code, endpointId }: SampleError): Remedy {
  const node: EndpointNode | undefined =
    code === 'workerFailed' && endpointId !== undefined ? { kind: 'endpoint', endpointId } : undefined;
  switch (code) {
    case 'workerFailed':
      return { label: l10n.t('Explain'), command: 'cloudCompute.endpoints.explain', argument: node };
    case 'platformStopped':
      return { label: l10n.t('Restart Local Platform'), command: 'cloudCompute.localPlatform.start' };
    case 'notEmpty':
    case 'notFolder':
    case 'unwritable':
    case 'changed':
      return { label: l10n.t('Choose Another Folder'), command: TRY };
  }
}
