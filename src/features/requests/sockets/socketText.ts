import * as l10n from '@vscode/l10n';
import { oneLine } from '../../../text/shownText.ts';

export interface ShownSocket {
  readonly path: string;
  readonly endpointName: string;
  readonly workerId: string | undefined;
  readonly isOpen: boolean;
  /** Whether the connection is open, or can still open. */
  readonly isActive: boolean;
  readonly log: string;
}

/** Returns the document of a WebSocket: its state and its messages. */
export function socketText({ path, endpointName, workerId, isOpen, isActive, log }: ShownSocket): string {
  const state = isOpen ? l10n.t('open') : isActive ? l10n.t('connecting…') : l10n.t('closed');
  const worker = workerId === undefined ? [] : [l10n.t`worker ${workerId}`];
  return `# ${[`WEBSOCKET ${path}`, endpointName, state, ...worker].map(oneLine).join(' · ')}\n\n${log}`;
}
