import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { WORKER_DEFAULTS } from '../../contract/endpointSettings.ts';
import type { CommandId } from '../../kit/commandIds.ts';
import type { Profile } from '../../account/connections/connectionStore.ts';
import { chosenEndpoint } from '../../account/endpoints/chosenEndpoints.ts';
import type { EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import { choosePart, type ChosenPart } from './create/choosePart.ts';
import { addressOf } from './deployed/deployment.ts';
import { EndpointLinks } from './deployed/endpointLinks.ts';
import { refusal } from './language/refusal.ts';
import { isManifest, languageOf } from './manifestFiles.ts';
import { matchEndpoint, nameOf } from './model/deployment/matchEndpoint.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { Hardware } from '../../account/prices/workerPrice.ts';

const ESTIMATE: CommandId = 'cloudCompute.costs.estimate';

/** An endpoint or a manifest whose cost is estimated. */
export interface Subject {
  readonly kind: 'endpoint' | 'manifest';
  readonly name: string;
  readonly hardware: Hardware;
  readonly workers: { readonly min: number; readonly idleTimeout: number };
  /** The endpoint, or the endpoint that the manifest belongs to. It has measured times. */
  readonly endpoint: EndpointSnapshot | undefined;
}

/**
 * Returns what to estimate: the endpoint of a row, the manifest of a URI, the manifest in the active editor, or an endpoint that the user
 * picks. Undefined if the user dismissed the picker.
 */
export async function chooseSubject(
  services: Pick<AccountServices, 'context' | 'connections' | 'endpoints'>,
  profile: Profile,
  argument: unknown,
): Promise<Subject | undefined> {
  const active = vscode.window.activeTextEditor?.document;
  const isFile = argument instanceof vscode.Uri || (argument === undefined && active && isManifest(active));
  if (isFile) return manifestSubject(services, profile, argument);
  const snapshot = await chosenEndpoint(services, [argument], l10n.t('Endpoint to estimate the cost of'));
  return snapshot && endpointSubject(snapshot);
}

function endpointSubject(snapshot: EndpointSnapshot): Subject {
  const { name, workers, gpu, cpu } = snapshot.endpoint;
  const { min, idleTimeout = WORKER_DEFAULTS.idleTimeout } = workers;
  return { kind: 'endpoint', name, hardware: { gpu, cpu }, workers: { min, idleTimeout }, endpoint: snapshot };
}

async function manifestSubject(
  services: Pick<AccountServices, 'context' | 'endpoints'>,
  profile: Profile,
  argument: unknown,
): Promise<Subject | undefined> {
  const { readManifestFile } = await import('./model/manifestFile.ts');
  const read = (document: vscode.TextDocument) =>
    Promise.resolve(readManifestFile(document.getText(), { target: profile.kind, language: languageOf(document.uri) }));
  const chosen = await choosePart({ models: { read } }, [argument], l10n.t('Manifest to estimate the cost of'));
  if (!chosen) return undefined;
  const { manifest, problems } = chosen.part;
  if (!manifest) throw await refusal(chosen.document, problems, ESTIMATE);
  const { name, gpu, cpu, workers: { min, idleTimeout } = {} } = manifest;
  return {
    kind: 'manifest',
    name,
    hardware: { gpu, cpu },
    workers: {
      min: min ?? WORKER_DEFAULTS.min,
      idleTimeout: idleTimeout ?? WORKER_DEFAULTS.idleTimeout,
    },
    endpoint: await endpointOf(services, profile, chosen),
  };
}

/** Returns the endpoint that a manifest belongs to by its link or its name. Undefined if there is not exactly one. */
export async function endpointOf(
  { context, endpoints }: Pick<AccountServices, 'context' | 'endpoints'>,
  profile: Profile,
  { document, file, part }: ChosenPart,
): Promise<EndpointSnapshot | undefined> {
  await endpoints.refresh();
  const links = new EndpointLinks(context.workspaceState);
  const linkedId = links.find(profile.id, addressOf(document.uri, file, part.index));
  links.dispose();
  const candidates = endpoints.endpoints.filter(({ deleting }) => !deleting).map(({ endpoint }) => endpoint);
  const match = matchEndpoint({ name: nameOf(part), linkedId }, candidates);
  return match.kind === 'one' ? endpoints.find(match.endpointId) : undefined;
}
