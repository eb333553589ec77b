import * as vscode from 'vscode';
import { registerInsertFile } from '../insertFile/index.ts';
import { isQueueManifest } from '../model/manifestOfJobFile.ts';
import { isQueue } from '../../../account/endpoints/endpointSnapshot.ts';
import type { JobServices } from '../run/runJob.ts';
import { registerJobDiagnostics } from './jobDiagnostics.ts';
import { JobFileModels } from './jobFileModels.ts';
import { registerJobProposals } from './jobProposals.ts';
import type { JobSchemas } from './jobSchemas.ts';
import { JobStatus, registerJobLenses } from './jobStatus.ts';
import { registerJobStructure } from './jobStructure.ts';

/** Registers the services of the editor for job files. */
export function registerJobLanguage(services: JobServices): vscode.Disposable {
  const { clock, log, endpoints, manifests: schemas } = services;
  const models = new JobFileModels({ clock, log, schemas, endpoints: () => endpointNames(endpoints, schemas) });
  return vscode.Disposable.from(
    models,
    registerJobDiagnostics(models),
    registerJobProposals(models),
    registerJobStructure(models),
    registerJobLenses(services),
    new JobStatus(services, models),
    registerInsertFile(),
  );
}

/** Returns the names of the queue endpoints on the connection and in the manifests of the workspace. */
function endpointNames({ endpoints }: JobServices['endpoints'], { known }: JobSchemas) {
  const deployed = endpoints
    .filter(({ endpoint }) => isQueue(endpoint))
    .map(({ endpoint: { name, id } }) => ({ value: name, detail: id }));
  const names = new Set(deployed.map(({ value }) => value));
  const planned = known.flatMap((manifest) => {
    const { name, path } = manifest;
    return name === undefined || names.has(name) || !isQueueManifest(manifest) ? [] : [{ value: name, detail: path }];
  });
  return [...deployed, ...planned];
}
