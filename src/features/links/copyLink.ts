import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showStatusBarMessage } from '../../vscode/messages.ts';
import { UserError } from '../../vscode/userError.ts';
import { requireConnection } from '../connections/requireConnection.ts';
import { chosenEndpoints } from '../endpoints/chosenEndpoints.ts';
import type { JobServices } from '../jobs/run/jobServices.ts';
import { chosenJobs } from '../jobs/view/chosenJobs.ts';
import { linkText, platformOf, type Link } from './model/link.ts';

/** Duration of a confirmation in the status bar, in ms. */
const CONFIRMATION_MS = 3_000;

/** Copies the links to the chosen endpoints. */
export async function copyEndpointLinks(services: JobServices, args: readonly unknown[]): Promise<void> {
  const chosen = await chosenEndpoints(services, args, l10n.t('Endpoint whose link to copy'));
  const platform = platformOf(requireConnection(services.connections).profile);
  await copy(chosen.map(({ endpoint }) => ({ endpointId: endpoint.id, ...platform })));
}

/** Copies the links to the chosen jobs. */
export async function copyJobLinks(services: JobServices, args: readonly unknown[]): Promise<void> {
  const chosen = await chosenJobs(services, args, l10n.t('Job whose link to copy'));
  if (!chosen) return;
  const profile = services.connections.find(chosen.connectionId);
  if (!profile) throw new UserError(l10n.t('the connection of the job no longer exists'));
  const platform = platformOf(profile);
  await copy(chosen.jobs.map(({ id, endpointId }) => ({ endpointId, jobId: id, ...platform })));
}

async function copy(links: readonly Link[]): Promise<void> {
  if (links.length === 0) return;
  await vscode.env.clipboard.writeText(links.map((link) => linkText(vscode.env.uriScheme, link)).join('\n'));
  const count = links.length;
  showStatusBarMessage(count === 1 ? l10n.t('Link copied') : l10n.t`${count} links copied`, CONFIRMATION_MS);
}
