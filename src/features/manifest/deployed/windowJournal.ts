import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { dataDirectory } from '../../../account/localPlatform/localPlatformSettings.ts';
import type { Client } from '../../../client/client.ts';
import {
  journalFile,
  readJournalFile,
  tryToBegin,
  UNJOURNALED,
  type Deed,
  type JournaledRun,
} from '../actions/deploymentJournal.ts';
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
  /** Folder of the workspace. Undefined outside of the workspace, where nothing is written. */
  readonly folder: vscode.Uri | undefined;
  readonly environment: { readonly name: string } | undefined;
}

/**
 * Writes that changes are about to be sent. A journal that cannot be written does not prevent the deployment. In an untrusted workspace, git
 * does not run, and nothing is written.
 *
 * @throws JournalError if the journal was changed
 */
export async function journaled(
  services: Services,
  { client, profile, folder, environment }: JournaledFolder,
  deeds: readonly Deed[],
): Promise<JournaledRun> {
  const unwritten = (error: unknown): void => {
    services.log.warn('Could not write the journal of deployments', error);
  };
  if (folder?.scheme !== 'file' || !vscode.workspace.isTrusted) return UNJOURNALED;
  const target = { client, folder: folder.fsPath, platform: platformOf(profile), environment: environment?.name };
  return tryToBegin(target, () => fileIn(services, profile, folder), deeds, unwritten);
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
  return (await journalOf(services, profile, endpointId))?.deployments ?? [];
}

/** Returns the folder whose journal contains an endpoint, with its deployments. */
export async function journalOf(services: Services, profile: Platform, endpointId: string) {
  if (!vscode.workspace.isTrusted) return undefined;
  for (const { uri: folder } of vscode.workspace.workspaceFolders ?? []) {
    if (folder.scheme !== 'file') continue;
    try {
      const journal = await readJournalFile(await fileIn(services, profile, folder));
      const all = deploymentsIn(journal, platformOf(profile));
      const deployments = all.filter(({ finished }) => finished?.endpointId === endpointId);
      if (deployments.length > 0) return { folder, deployments };
    } catch (error) {
      services.log.warn('Could not read the journal of deployments', error);
    }
  }
  return undefined;
}
