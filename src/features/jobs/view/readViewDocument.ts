import * as l10n from '@vscode/l10n';
import { connectionOfDocument } from '../../../account/connections/requireConnection.ts';
import { UserError } from '../../../kit/userError.ts';
import type { JobServices } from '../jobServices.ts';
import { loadJobLog } from './jobLog.ts';
import { loadTimeline } from './jobTimeline.ts';
import type { ViewDocument } from './jobViewDocuments.ts';
import { requestOf } from './requestOfJob.ts';
import type { ViewDocumentAddress } from './viewDocumentAddress.ts';

/** Reads a document again, for example after a restart of the editor. */
export async function readViewDocument(services: JobServices, address: ViewDocumentAddress): Promise<ViewDocument> {
  const { connectionId, jobId } = address;
  const job = services.history.find(connectionId, jobId);
  if (!job) throw new UserError(l10n.t('the job is no longer in the list'));
  if (address.kind === 'request') {
    const request = await requestOf(services, { connectionId, job });
    return { text: `${JSON.stringify(request, null, 2)}\n`, actions: [] };
  }
  const connection = await connectionOfDocument(services.connections, connectionId);
  if (address.kind === 'timeline') return loadTimeline(connection, job);
  return loadJobLog(services, connectionId, job);
}
