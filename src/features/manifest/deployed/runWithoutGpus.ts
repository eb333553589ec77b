import { showMessage } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { fileName, languageOf } from '../manifestFiles.ts';
import { changesOf } from '../model/editing/changesOf.ts';
import { parseManifestFile } from '../model/manifestFile.ts';
import type { DeployedServices } from './chooseDeployed.ts';
import { offerUpdate, openManifestOf } from './manifestOfEndpoint.ts';
import { writeChanges } from './pullIntoDocument.ts';

const IGNORE_GPUS = { kind: 'set', path: ['x-local', 'gpu'], value: 'ignore' } as const;

/**
 * Writes `x-local.gpu: ignore` into the manifest of an endpoint, with which the local platform runs its workers without GPUs. An endpoint
 * without a manifest in the workspace is edited itself. Nothing changes on the platform until the user updates the endpoint.
 */
export async function runWithoutGpus(deployed: DeployedServices, snapshot: EndpointSnapshot): Promise<void> {
  const { id, name, gpu } = snapshot.endpoint;
  if (!gpu) throw new UserError(shown`“${name}” uses no GPUs`);
  const opened = await openManifestOf(deployed, id);
  const { document, part, isManifest } = opened;
  const text = document.getText();
  const language = languageOf(document.uri);
  const root = parseManifestFile(text, language).parts[part]?.root;
  const changes = changesOf({ text, language, root }, [IGNORE_GPUS]);
  if (!changes)
    throw new UserError(
      shown`${fileName(document.uri)} cannot be edited automatically; write gpu: ignore below x-local yourself`,
    );
  await writeChanges(document, text, changes);
  if (isManifest)
    offerUpdate(
      opened,
      shown`${fileName(document.uri)} now runs “${name}” without GPUs. Update the endpoint to apply it.`,
    );
  else void showMessage('information', shown`Save the document to run “${name}” without GPUs.`);
}
