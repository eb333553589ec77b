import * as l10n from '@vscode/l10n';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { fileName } from '../manifestFiles.ts';
import { nameOf } from '../model/deployment/matchEndpoint.ts';
import type { ChosenPart } from '../create/choosePart.ts';
import { pickEndpoint, type DeployedServices } from './chooseDeployed.ts';
import { addressOf } from './deployment.ts';

/** Duration of a message in the status bar, in ms. */
const SHORTLY_MS = 4_000;

/** Asks for the endpoint that a manifest belongs to, and stores the link. Endpoints with its name are offered alone if there are several. */
export async function linkDocument(
  { services, deployment, links }: DeployedServices,
  { document, file, part }: ChosenPart,
): Promise<void> {
  const { profile } = requireConnection(services.connections);
  const { endpoints } = services;
  await endpoints.refresh();
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
  if (endpoints.endpoints.length === 0) throw new UserError(shown`${profile.name} has no endpoints`);
  const match = deployment.matchOf(document.uri, file, part);
  const ids = match?.kind === 'ambiguous' ? match.endpointIds : undefined;
  const candidates = { ids, name: nameOf(part) };
  const endpointId = await pickEndpoint(services, candidates, l10n.t(`Endpoint that this manifest belongs to`));
  if (endpointId === undefined) return;
  await links.link(profile.id, addressOf(document.uri, file, part.index), endpointId);
  const name = endpoints.find(endpointId)?.endpoint.name ?? endpointId;
  showStatusBarMessage(shown`$(link) ${fileName(document.uri)} linked to “${name}”`, SHORTLY_MS);
}

/** Removes the link of a manifest, which then belongs to the endpoint with its name. */
export async function unlinkDocument(
  { services, links }: DeployedServices,
  { document, file, part }: ChosenPart,
): Promise<void> {
  const { profile } = services.connections;
  const address = addressOf(document.uri, file, part.index);
  if (!profile || links.find(profile.id, address) === undefined)
    throw new UserError(shown`${fileName(document.uri)} has no link`);
  await links.unlink(profile.id, address);
  showStatusBarMessage(shown`$(link) ${fileName(document.uri)} unlinked`, SHORTLY_MS);
}
