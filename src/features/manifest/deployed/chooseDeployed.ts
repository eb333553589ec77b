import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import { pick } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { compareNames } from '../../../account/endpoints/arrangement.ts';
import type { ChosenPart } from '../create/choosePart.ts';
import { fileName, folderOf } from '../manifestFiles.ts';
import { nameOf } from '../model/deployment/matchEndpoint.ts';
import { addressOf, type Deployment } from './deployment.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { PriceOf } from '../create/createTarget.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import type { DeployedDocuments } from './deployedDocuments.ts';
import type { EndpointLinks } from './endpointLinks.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { type ComparisonSource, NoFolderError } from '../actions/compareWithDeployed.ts';
import { planUpdate, type UpdatePlan } from '../actions/updateEndpoint.ts';
import type { VerificationTests } from '../model/deployment/verificationTest.ts';
import { noFolder } from '../language/refusal.ts';
import { withLateProgress } from '../../../kit/progress.ts';

/** Services of the commands that act on a manifest and its endpoint. */
export interface DeployedServices {
  readonly services: AccountServices;
  readonly models: ManifestModels;
  readonly links: EndpointLinks;
  readonly deployment: Deployment;
  readonly documents: DeployedDocuments;
  readonly priceOf: PriceOf;
  /** Reads and runs the tests that verify deployments. */
  readonly tests: VerificationTests;
}

/** A manifest, its endpoint, and the platform of the endpoint. */
export interface ChosenDeployed extends ChosenPart {
  readonly client: Client;
  readonly profile: Profile;
  readonly endpointId: string;
}

/**
 * Reads the endpoints and returns the one that a manifest belongs to. If several endpoints have its name, the user chooses one, and the
 * choice is stored. Returns undefined if the user dismissed the picker.
 *
 * @throws UserError if no endpoint belongs to the manifest, NotConnectedError, and ApiError if the endpoints cannot be read
 */
export async function chooseDeployed(
  { services, deployment, links }: DeployedServices,
  chosen: ChosenPart,
): Promise<ChosenDeployed | undefined> {
  const { client, profile } = requireConnection(services.connections);
  await readEndpoints(services);
  const { document, file, part } = chosen;
  const match = deployment.matchOf(document.uri, file, part);
  const name = nameOf(part) ?? fileName(document.uri);
  if (!match || match.kind === 'none')
    throw new UserError(shown`no endpoint on ${profile.name} belongs to “${name}”`, {
      label: l10n.t('Create Endpoint'),
      command: 'cloudCompute.manifest.createEndpoint',
    });
  if (match.kind === 'one') return { ...chosen, client, profile, endpointId: match.endpointId };
  const endpointId = await pickEndpoint(services, { ids: match.endpointIds });
  if (endpointId === undefined) return undefined;
  await links.link(profile.id, addressOf(document.uri, file, part.index), endpointId);
  return { ...chosen, client, profile, endpointId };
}

/**
 * Reads the endpoint of a manifest and compares both. Shows progress if that takes time.
 *
 * @throws ApiError, and UserError for a relative directory without a folder on this machine
 */
export async function readPlan(
  { services }: DeployedServices,
  { document, client, profile, endpointId }: ChosenDeployed,
  { manifest, resolve }: Pick<ComparisonSource, 'manifest' | 'resolve'>,
): Promise<UpdatePlan> {
  const source = { manifest, resolve, target: profile.kind, folder: folderOf(document.uri) };
  try {
    return await withLateProgress(services.clock, shown`Reading the endpoint from ${profile.name}…`, (signal) =>
      planUpdate(client, source, endpointId, signal),
    );
  } catch (error) {
    throw error instanceof NoFolderError ? noFolder(document) : error;
  }
}

async function readEndpoints({ endpoints }: Pick<AccountServices, 'endpoints'>): Promise<void> {
  await endpoints.refresh();
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
}

/**
 * Asks for one of the endpoints, unless there is only one. Those with the name of the manifest are first.
 *
 * @param ids endpoints to choose from. Default: all
 */
async function pickEndpoint(
  { endpoints }: Pick<AccountServices, 'endpoints'>,
  { ids, name }: { readonly ids?: readonly string[] | undefined; readonly name?: string | undefined },
): Promise<string | undefined> {
  const isOther = (label: string) => Number(label !== name);
  const items = endpoints.endpoints
    .filter(({ deleting, endpoint }) => !deleting && (ids?.includes(endpoint.id) ?? true))
    .map(({ endpoint: { name: label, id, createdAt } }) => ({
      label,
      description: id,
      detail: shown`created ${new Date(createdAt).toLocaleString('en-US')}`,
      id,
    }))
    .sort((a, b) => isOther(a.label) - isOther(b.label) || compareNames(a.label, b.label));
  const [only, ...others] = items;
  if (only && others.length === 0) return only.id;
  return (await pick(items, { placeholder: l10n.t(`Endpoint that this manifest belongs to`) }))?.id;
}

/** Duration of a message in the status bar, in ms. */
const SHORTLY_MS = 4_000;

/** Asks for the endpoint that a manifest belongs to, and stores the link. Endpoints with its name are offered alone if there are several. */
export async function linkDocument(
  { services, deployment, links }: DeployedServices,
  { document, file, part }: ChosenPart,
): Promise<void> {
  const { profile } = requireConnection(services.connections);
  const { endpoints } = services;
  await readEndpoints(services);
  if (endpoints.endpoints.length === 0) throw new UserError(shown`${profile.name} has no endpoints`);
  const match = deployment.matchOf(document.uri, file, part);
  const ids = match?.kind === 'ambiguous' ? match.endpointIds : undefined;
  const endpointId = await pickEndpoint(services, { ids, name: nameOf(part) });
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
