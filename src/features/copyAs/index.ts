import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { isEndpointNode } from '../endpoints/endpointNode.ts';
import { copyJobFileAs } from '../jobs/copyAs/copyJobFileAs.ts';
import type { JobRecords } from '../jobs/index.ts';
import { isJobFile } from '../jobs/jobFiles.ts';
import { jobNodesIn } from '../jobs/view/jobNode.ts';
import type { CopyRequest } from '../routes/registerRequests.ts';
import type { Services } from '../services.ts';
import { copyEndpointsAs, copyJobsAs } from './copyRowsAs.ts';

/** Registers the command that copies endpoints, jobs, job files, and requests in a form that the user chooses. */
export function registerCopyAs(base: Services, jobs: JobRecords, copyRequest: CopyRequest): vscode.Disposable {
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
