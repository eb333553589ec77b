import { shown, type ShownText } from '../../vscode/text/shownText.ts';
import { LOCAL_NAME } from '../connections/connectionDocument.ts';

/** Where an endpoint made from a manifest would go. */
export interface CreateTarget {
  readonly kind: 'local' | 'hosted';
  /** Name people see. */
  readonly name: string;
  /** It has to be started first. */
  readonly stopped: boolean;
}

interface Connections {
  readonly client: unknown;
  readonly profile: { readonly kind: 'local' | 'hosted'; readonly name: string } | undefined;
}

/** The current connection, signed in or not. Without one it is the local platform, which can always be started. */
export function createTarget({ client, profile }: Connections): CreateTarget {
  if (profile?.kind === 'hosted') return { kind: 'hosted', name: profile.name, stopped: false };
  return { kind: 'local', name: profile?.name ?? LOCAL_NAME, stopped: client === undefined };
}

/** The editor draws an icon close to what follows it: a space that it does not swallow. */
const ICON = shown`$(cloud-upload)\u00a0`;

/** Text of the CodeLens: what will happen, where. */
export function lensTitle({ name, stopped }: CreateTarget): ShownText {
  return stopped ? shown`${ICON}Start Local Platform and Create Endpoint` : shown`${ICON}Create Endpoint on ${name}`;
}
