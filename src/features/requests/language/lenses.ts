import * as l10n from '@vscode/l10n';
import type { CommandId } from '../../../kit/commandIds.ts';
import type { LensOptions } from '../../../kit/marks.ts';
import { shown } from '../../../text/shownText.ts';
import type { HttpMethod } from '../model/httpFile.ts';
import { notConnected } from '../../../account/connections/requireConnection.ts';

const SEND: CommandId = 'cloudCompute.routes.send';
const LOAD: CommandId = 'cloudCompute.load.run';
const COPY: CommandId = 'cloudCompute.copyAs';
const CONNECT: CommandId = 'cloudCompute.connect';

interface Connections {
  readonly client: unknown;
  readonly profile: { readonly kind: 'local' | 'hosted'; readonly name: string } | undefined;
}

/** Returns the lens that connects, or undefined while the platform of the current connection can be called. */
export function connectLens(connections: Connections): LensOptions | undefined {
  const reason = notConnected(connections);
  if (!reason) return undefined;
  const tooltip = shown`${reason.sentence} Requests are sent to the current connection.`;
  if (reason.code === 'none' || !reason.remedy)
    return { title: shown`$(plug) Connect to Send…`, tooltip, command: CONNECT };
  return { title: shown`$(plug) ${reason.remedy.label} to Send`, tooltip, command: reason.remedy.command };
}

/**
 * Returns the lenses of a request. A hosted platform is recognizable, because its requests cost money. A WebSocket can be neither load-tested
 * nor copied as code.
 *
 * @param file address of the file
 */
export function requestLenses(
  { profile }: Connections,
  file: unknown,
  index: number,
  method: HttpMethod,
): LensOptions[] {
  if (!profile) return [];
  const { kind, name } = profile;
  const send: LensOptions = {
    title: kind === 'hosted' ? shown`$(cloud) Send to ${name} (hosted)` : shown`$(play) Send to ${name}`,
    tooltip:
      kind === 'hosted'
        ? shown`Sends this request to the hosted platform “${name}”, which bills the workers`
        : l10n.t('Sends this request to the local platform on this machine'),
    command: SEND,
    arguments: [file, index],
  };
  if (method === 'WEBSOCKET') return [send];
  return [
    send,
    {
      title: l10n.t('Load Test…'),
      tooltip: l10n.t('Sends this request many times at a rate, and reports percentiles and costs'),
      command: LOAD,
      arguments: [file, index],
    },
    {
      title: shown`$(copy) Copy as…`,
      tooltip: l10n.t('Copies this request as code, without the key'),
      command: COPY,
      arguments: [file, index],
    },
  ];
}
