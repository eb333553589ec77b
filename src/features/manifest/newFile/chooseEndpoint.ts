import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { askPaged } from '../../../kit/pagedPick.ts';
import { BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { endpointSections } from '../model/starters/fromEndpoint.ts';
import { hiddenValues } from '../../../account/secrets/sentVariables.ts';
import { connectedStep, STARTER_PLACE, type Answer, type Starter, type Target } from './starter.ts';

/** Asks for an endpoint of the current connection. */
export async function chooseEndpoint(services: AccountServices, { folder }: Target): Promise<Answer<Starter>> {
  const connected = await connectedStep(services);
  if (connected === undefined || connected === BACK) return connected;
  const chosen = await askPaged({
    place: STARTER_PLACE,
    placeholder: l10n.t('Endpoint to copy'),
    empty: shown`“${connected.platform}” has no endpoints.`,
    pages: () => itemPage(services),
  });
  if (chosen === undefined || chosen === BACK) return chosen;
  const { endpoint } = chosen.snapshot;
  const source = {
    platform: connected.platform,
    relative: (directory: string) => relativeTo(folder?.fsPath, directory),
    hidden: await hiddenValues(services),
  };
  return { name: endpoint.name, sections: () => endpointSections(endpoint, source) };
}

async function* itemPage({ endpoints }: AccountServices) {
  await endpoints.refresh();
  const { state } = endpoints;
  if (state.kind === 'failed') throw state.error;
  yield { items: endpoints.endpoints.filter(({ deleting }) => !deleting).map(itemOf), more: false };
}

function itemOf(snapshot: EndpointSnapshot) {
  const { id, name, image } = snapshot.endpoint;
  return {
    label: shown`$(server-process) ${name}`,
    description: id,
    ...(image !== undefined && { detail: image }),
    snapshot,
  };
}

/** Returns a path relative to a folder if it is inside of that folder. */
function relativeTo(folder: string | undefined, directory: string): string {
  if (folder === undefined) return directory;
  const relative = path.relative(folder, directory);
  const isInside = !path.isAbsolute(relative) && !relative.startsWith('..');
  return isInside ? relative.replaceAll(path.sep, '/') || '.' : directory;
}
