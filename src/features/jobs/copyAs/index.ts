import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import { isEndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { copyJobFileAs } from './copyJobFileAs.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { JobRecords } from '../jobServices.ts';
import { isJobFile } from '../jobFiles.ts';
import { jobNodesIn } from '../view/jobNode.ts';
import { copyEndpointsAs, copyJobsAs } from './copyRowsAs.ts';

/**
 * Registers the command that copies endpoints, jobs, job files, and requests in a form that the user chooses.
 *
 * @param copyRequest copies the request of a CodeLens, or the one at the cursor, as code
 */
export function registerCopyAs(
  base: AccountServices,
  jobs: JobRecords,
  copyRequest: (uri: unknown, index: unknown) => Promise<void>,
): vscode.Disposable {
  const services = { ...base, ...jobs };
  return registerCommand(base.log, 'cloudCompute.copyAs', l10n.t('Could not copy'), async (...args) => {
    const [first, index] = args;
    if (jobNodesIn(args).length > 0) return copyJobsAs(services, args);
    if (isEndpointNode(first)) return copyEndpointsAs(services, args);
    const document = vscode.window.activeTextEditor?.document;
    const uri = first instanceof vscode.Uri ? first : document?.uri;
    if (uri && isJobFile(uri)) return copyJobFileAs(services, uri);
    if (first instanceof vscode.Uri || document?.languageId === 'http') return copyRequest(first, index);
    return copyEndpointsAs(services, args);
  });
}
