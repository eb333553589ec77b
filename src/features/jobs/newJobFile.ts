import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JobRequest } from '../../contract/job.ts';
import { pick, separator, type ShownItem } from '../../kit/quickInput.ts';
import { shown } from '../../text/shownText.ts';
import { fileStem } from '../../text/fileNames.ts';
import { compareNames } from '../../account/endpoints/arrangement.ts';
import { isEndpointNode } from '../../account/endpoints/endpointNode.ts';
import { isQueue, type EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import { chooseEndpoint } from './chooseEndpoint.ts';
import { openNewJobFile } from './jobFiles.ts';
import type { JobManifest, JobSchemas } from './language/jobSchemas.ts';
import { isQueueManifest } from './model/manifestOfJobFile.ts';
import type { JobServices } from './jobServices.ts';

/** The endpoint of a new job file, on the connection or in a manifest. */
interface Target extends ShownItem {
  readonly name?: string;
  readonly id?: string | undefined;
}

/** Opens a new job file. @param argument a node of the endpoints view, or nothing */
export async function newJobFile(services: JobServices, argument: unknown): Promise<void> {
  const schemas = services.manifests;
  const manifests = (await schemas.all()).filter(isQueueManifest);
  const target = isEndpointNode(argument)
    ? targetOf(await chooseEndpoint(services, argument, undefined))
    : await chooseTarget(services, manifests);
  if (!target) return;
  const { name, id } = target;
  const manifest = name === undefined ? undefined : manifests.find((one) => one.name === name);
  const body = (await fromSchema(schemas, manifest)) ?? lastRequest(services, id);
  await openNewJobFile(body, {
    name: name === undefined ? undefined : fileStem(name, 'new'),
    folder: manifest && vscode.Uri.joinPath(manifest.place, '..'),
    endpoint: name,
  });
}

/** Returns the only endpoint, or lets the user pick one. Without endpoints, returns a target without a name. */
async function chooseTarget(
  { connections, endpoints }: JobServices,
  manifests: readonly JobManifest[],
): Promise<Target | undefined> {
  if (connections.client) await endpoints.refresh();
  const deployed = endpoints.endpoints
    .filter(({ endpoint, deleting }) => isQueue(endpoint) && !deleting)
    .flatMap((snapshot) => targetOf(snapshot) ?? [])
    .sort((a, b) => compareNames(a.name, b.name));
  const names = new Set(deployed.map(({ name }) => name));
  const others = manifests.flatMap(({ name, path }): Target[] =>
    name === undefined || names.has(name) ? [] : [{ label: name, description: path, name }],
  );
  const [only, ...more] = [...deployed, ...others];
  const none: Target = {
    label: l10n.t('No Endpoint'),
    description: l10n.t('the file runs on the endpoint that you choose'),
  };
  if (!only) return none;
  if (more.length === 0) return only;
  const items: Target[] = [
    ...(deployed.length > 0 ? [separator(shown`on ${connections.profile?.name ?? ''}`), ...deployed] : []),
    ...(others.length > 0 ? [separator(l10n.t('in manifests')), ...others] : []),
    separator(),
    none,
  ];
  return pick(items, { title: l10n.t('New Job File'), placeholder: l10n.t('Endpoint that the jobs run on') });
}

function targetOf(snapshot: EndpointSnapshot | undefined): (Target & { readonly name: string }) | undefined {
  if (!snapshot) return undefined;
  const { id, name } = snapshot.endpoint;
  return { label: name, description: id, name, id };
}

async function fromSchema(schemas: JobSchemas, manifest: JobManifest | undefined): Promise<JobRequest | undefined> {
  if (!manifest) return undefined;
  const { input } = await schemas.of(manifest.place, manifest.name);
  if (!input) return undefined;
  const { sampleInput } = await import('./model/sampleInput.ts');
  return { input: sampleInput(input.schema) };
}

function lastRequest({ connections, lastInputs }: JobServices, id: string | undefined): JobRequest | undefined {
  const { profile } = connections;
  return profile && id !== undefined ? lastInputs.get(profile.id, id) : undefined;
}
