import { shown, type ShownText } from '../../../text/shownText.ts';
import { LOCAL_NAME } from '../../../account/connections/connectionDocument.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import { pricePerHour } from '../../../account/prices/money.ts';

/** Platform on which an endpoint would be created from a manifest. */
export interface CreateTarget {
  readonly kind: 'local' | 'hosted';
  /** Display name. */
  readonly name: string;
  /** Whether the platform must be started first. */
  readonly stopped: boolean;
}

interface Connections {
  readonly client: unknown;
  readonly profile: { readonly kind: 'local' | 'hosted'; readonly name: string } | undefined;
}

/** Returns the platform of the current connection, signed in or not. Without a connection, returns the local platform. */
export function createTarget({ client, profile }: Connections): CreateTarget {
  if (profile?.kind === 'hosted') return { kind: 'hosted', name: profile.name, stopped: false };
  return { kind: 'local', name: profile?.name ?? LOCAL_NAME, stopped: client === undefined };
}

/** Ends with a no-break space, because the editor collapses a plain space after an icon. */
const ICON = shown`$(cloud-upload) `;

/** Returns the title of the CodeLens, which names the action and the platform. */
export function lensTitle({ name, stopped }: CreateTarget): ShownText {
  return stopped ? shown`${ICON}Start Local Platform and Create Endpoint` : shown`${ICON}Create Endpoint on ${name}`;
}

/** Returns the highest price of one worker of a manifest, in USD per hour. Undefined if it is not known. */
export type PriceOf = (manifest: Manifest) => number | undefined;

/** Returns a price for a short label, such as `up to $0.69/h per worker`. */
export function priceLabel(price: number): ShownText {
  return shown`up to ${pricePerHour(price)} per worker`;
}
