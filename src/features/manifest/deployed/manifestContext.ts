import { stateKey, type StateStorage } from '../../../kit/keyedState.ts';
import { storedEnvironment } from '../environments/activeEnvironment.ts';
import { linkOf, type PartAddress } from '../model/deployment/matchEndpoint.ts';
import { linksIn, LINKS } from './endpointLinks.ts';

/** The choices of the user that relate the manifests of this workspace to the endpoints of a connection. */
export interface ManifestContext {
  /** Name of the chosen environment. */
  readonly environment: string | undefined;
  /** Returns the ID of the endpoint that a manifest is linked to. The endpoint may no longer exist. */
  readonly linkedId: (address: PartAddress) => string | undefined;
}

/** Reads the choices of a workspace. */
export function readManifestContext(storage: StateStorage, connectionId: string): ManifestContext {
  const links = linksIn(storage.get(stateKey(connectionId, LINKS)));
  return {
    environment: storedEnvironment(storage)?.name,
    linkedId: (address) => linkOf(links, address)?.endpointId,
  };
}
