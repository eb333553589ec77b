import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { dataDirectory } from '../../../account/localPlatform/localPlatformSettings.ts';
import type { Client } from '../../../client/client.ts';
import {
  beginDeployment,
  journalFile,
  JournalError,
  readJournalFile,
  type JournaledRun,
} from '../actions/deploymentJournal.ts';
import type { Step } from '../model/deployment/deploymentPlan.ts';
import { deploymentsIn, type JournaledDeployment } from '../model/deployment/journal.ts';

/* The journal of deployments of this window: the same file as that of the command line. */

type Services = Pick<AccountServices, 'context' | 'log'>;
type Platform = Pick<Profile, 'kind' | 'baseUrl'>;

const platformOf = ({ kind, baseUrl }: Platform): string => (kind === 'local' ? 'local' : new URL(baseUrl).host);

function fileIn({ context }: Services, { kind }: Platform, folder: vscode.Uri): Promise<string> {
  return journalFile(folder.fsPath, kind === 'local' ? dataDirectory(context) : undefined);
}

interface JournaledFolder {
  readonly client: Client;
  readonly profile: Platform;
  readonly folder: vscode.Uri;
  readonly environment: { readonly name: string } | undefined;
}

/**
 * Writes that steps are about to be sent. A journal that cannot be written does not prevent the deployment.
 *
 * @throws JournalError if the journal was changed
 */
export async function journaled(
  services: Services,
  { client, profile, folder, environment }: JournaledFolder,
  steps: readonly Step[],
): Promise<JournaledRun> {
  const unwritten = (error: unknown): void => {
    services.log.warn('Could not write the journal of deployments', error);
  };
  const unjournaled = { end: () => Promise.resolve() };
  if (folder.scheme !== 'file') return unjournaled;
  try {
    const file = await fileIn(services, profile, folder);
    const target = { file, folder: folder.fsPath, platform: platformOf(profile), environment: environment?.name };
    const run = await beginDeployment({ ...target, client }, steps);
    return { end: (results) => run.end(results).catch(unwritten) };
  } catch (error) {
    if (error instanceof JournalError) throw error;
    unwritten(error);
    return unjournaled;
  }
}

/**
 * Reads the deployments of an endpoint, newest first. A journal that cannot be trusted counts as empty, and so does that of an untrusted
 * workspace, in which git does not run.
 */
export async function deploymentsOf(
  services: Services,
  profile: Platform,
  endpointId: string,
): Promise<readonly JournaledDeployment[]> {
  if (!vscode.workspace.isTrusted) return [];
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const files = new Set(await Promise.all(folders.map(({ uri }) => fileIn(services, profile, uri))));
  const found = await Promise.all(
    [...files].map(async (file) => {
      try {
        return deploymentsIn(await readJournalFile(file), platformOf(profile));
      } catch (error) {
        services.log.warn('Could not read the journal of deployments', error);
        return [];
      }
    }),
  );
  return found.flat().filter(({ finished }) => finished?.endpointId === endpointId);
}
