import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { findProduction } from '../actions/findProduction.ts';
import { deploymentsOf } from '../deployed/windowJournal.ts';
import { workspaceTree } from '../manifestFiles.ts';
import { isProductionWanted } from './chooseEnvironment.ts';
import { namedOf } from '../model/patched/connectionMatch.ts';

/** Asks for the name of the environment of production before an endpoint is changed that is in one, whatever changes it. */
export async function isChangeWanted(
  services: Pick<AccountServices, 'context' | 'log'>,
  profile: Profile,
  { id, name }: Pick<Endpoint, 'id' | 'name'>,
): Promise<boolean> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const deployments = await deploymentsOf(services, profile, id);
  const endpoint = { name, connection: namedOf(profile), deployments };
  const production = await findProduction(workspaceTree, folders, endpoint, new AbortController().signal);
  return isProductionWanted(production, profile.name, 'change');
}
