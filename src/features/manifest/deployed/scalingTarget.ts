import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { UpdateEndpointBody } from '../../../contract/endpoint.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { confirmed, showStatusBarMessage } from '../../../kit/messages.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { chosenEndpoint } from '../../../account/endpoints/chosenEndpoints.ts';
import { isEndpointNode } from '../../../account/endpoints/endpointNode.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { choosePart } from '../create/choosePart.ts';
import { EndpointLinks } from './endpointLinks.ts';
import { manifestPlaceOf, offerUpdate, type ManifestPlace } from './manifestOfEndpoint.ts';
import { writeChanges } from './pullIntoDocument.ts';
import { endpointOf } from '../estimateSubject.ts';
import { refusal } from '../language/refusal.ts';
import { fileName, isManifest, languageOf } from '../manifestFiles.ts';
import { readManifestFile } from '../model/manifestFile.ts';
import { scalingChanges, type ChosenScaling } from '../model/editing/scalingChanges.ts';

const TUNE: CommandId = 'cloudCompute.endpoints.tune';
/** Duration of a message in the status bar, in ms. */
const SHORTLY_MS = 4_000;

type Services = Pick<AccountServices, 'clock' | 'context' | 'connections' | 'endpoints'>;

/** A manifest or an endpoint whose scaling is changed. */
export interface ScalingTarget {
  readonly name: string;
  /** The manifest, if the command acts on one. */
  readonly manifest: Manifest | undefined;
  /** The endpoint, or the one that the manifest belongs to. */
  readonly endpoint: EndpointSnapshot | undefined;
  /** The manifest that gets the change. Undefined: the endpoint itself gets it. */
  readonly place: ManifestPlace | undefined;
}

/**
 * Returns the endpoint of a row with its manifest, the manifest of a URI, the manifest in the active editor, or an endpoint that the user
 * picks. Undefined if the user dismissed the picker.
 */
export async function chooseScalingTarget(
  services: Services,
  args: readonly unknown[],
): Promise<ScalingTarget | undefined> {
  const [argument] = args;
  const active = vscode.window.activeTextEditor?.document;
  const isFile = argument instanceof vscode.Uri || (!isEndpointNode(argument) && active && isManifest(active));
  if (isFile) return manifestTarget(services, args);
  const snapshot = await chosenEndpoint(services, args, l10n.t('Endpoint to tune the scaling of'));
  if (!snapshot) return undefined;
  const links = new EndpointLinks(services.context.workspaceState);
  const place = await manifestPlaceOf(services, links, snapshot.endpoint.id);
  links.dispose();
  return { name: snapshot.endpoint.name, manifest: undefined, endpoint: snapshot, place };
}

async function manifestTarget(services: Services, args: readonly unknown[]): Promise<ScalingTarget | undefined> {
  const { profile } = requireConnection(services.connections);
  const read = (document: vscode.TextDocument) => Promise.resolve(fileIn(document, profile.kind));
  const chosen = await choosePart({ models: { read } }, args, l10n.t('Manifest to tune the scaling of'));
  if (!chosen) return undefined;
  const { document, part } = chosen;
  if (!part.manifest) throw await refusal(document, part.problems, TUNE);
  return {
    ...{ name: part.manifest.name, manifest: part.manifest },
    endpoint: await endpointOf(services, profile, chosen),
    place: { uri: document.uri, part: part.index },
  };
}

function fileIn(document: vscode.TextDocument, target: 'local' | 'hosted') {
  return readManifestFile(document.getText(), { target, language: languageOf(document.uri) });
}

/**
 * Gives a manifest other scaling, and offers to update its endpoint. The document is not saved, so that the user can undo the edit. An
 * endpoint without a manifest is updated after a confirmation.
 *
 * @param summary the changes on one line
 * @returns whether something changed
 */
export async function applyScaling(
  services: Services,
  target: ScalingTarget,
  chosen: ChosenScaling,
  summary: string,
): Promise<boolean> {
  const { place, endpoint } = target;
  if (place) return applyToManifest(services, target, place, chosen);
  if (!endpoint) throw new UserError(l10n.t('the endpoint no longer exists'));
  return updateDirectly(services, endpoint, chosen, summary);
}

async function applyToManifest(
  { connections }: Services,
  { endpoint }: ScalingTarget,
  { uri, part }: ManifestPlace,
  chosen: ChosenScaling,
): Promise<boolean> {
  const document = await vscode.workspace.openTextDocument(uri);
  const name = fileName(uri);
  const file = fileIn(document, connections.profile?.kind ?? 'hosted');
  if (!file.parts[part]?.manifest) throw await refusal(document, file.parts[part]?.problems ?? file.problems, TUNE);
  const changes = scalingChanges(file, part, chosen);
  if (!changes) throw new UserError(shown`${name} cannot be edited automatically`);
  if (changes.length === 0) {
    showStatusBarMessage(shown`$(check) ${name} already has these settings`, SHORTLY_MS);
    return false;
  }
  await writeChanges(document, file.text, changes);
  if (endpoint)
    offerUpdate({ document, part }, shown`${name} has the chosen settings. Update the endpoint to apply them.`);
  else showStatusBarMessage(shown`$(check) ${name} has the chosen settings`, SHORTLY_MS);
  return true;
}

async function updateDirectly(
  { connections, endpoints }: Services,
  { endpoint: { id, name } }: EndpointSnapshot,
  chosen: ChosenScaling,
  summary: string,
): Promise<boolean> {
  const { client, profile } = requireConnection(connections);
  const question = shown`Update “${name}” on “${profile.name}”?`;
  if (!(await confirmed(question, summary, l10n.t('Update Endpoint')))) return false;
  await client.updateEndpoint({ id, body: bodyOf(chosen) });
  await endpoints.refresh();
  return true;
}

function bodyOf({ scaling, min, max, idleTimeout, flashboot, hardware }: ChosenScaling): UpdateEndpointBody {
  return {
    scaling,
    workers: { min, max, ...(idleTimeout !== undefined && { idleTimeout }) },
    flashboot: flashboot as NonNullable<UpdateEndpointBody['flashboot']>,
    ...(hardware?.kind === 'gpu' && { gpu: { pools: [hardware.id] } }),
    ...(hardware?.kind === 'cpu' && { cpu: [{ id: hardware.id, vcpuCount: hardware.count }] }),
  };
}
