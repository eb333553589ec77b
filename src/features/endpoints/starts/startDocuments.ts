import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { AccountServices } from '../../../account/accountServices.ts';
import { connectionOfDocument } from '../../../account/connections/requireConnection.ts';
import { rateOf } from '../../../account/prices/workerCost.ts';
import type { Clock } from '../../../client/clock.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { DocumentAddresses } from '../../../kit/documents/address.ts';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { followVisible } from '../../../kit/documents/followVisible.ts';
import { Documents } from '../../../kit/documents/documents.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { codeLens } from '../../../kit/marks.ts';
import { colorWaterfalls, waterfallWidth } from '../../../kit/waterfalls.ts';
import { shown } from '../../../text/shownText.ts';
import { coldStartText, type StartText } from '../model/coldStartText.ts';
import { START_SCHEME } from './startScheme.ts';
import { readStart } from './actions/readStart.ts';

const X_RAY: CommandId = 'cloudCompute.endpoints.xRayStart';

const Address = z.object({ connectionId: z.string(), endpointId: z.string(), workerId: z.string() });
export type StartAddress = z.infer<typeof Address>;

export interface StartDocument extends StartText {
  /** Whether the imports of the worker were measured. */
  readonly isMeasured: boolean;
  /** Whether the start is in progress. */
  readonly goesOn: boolean;
}

/** Provides read-only documents with the starts of workers. */
export class StartDocuments extends Documents<StartAddress, StartDocument> {
  readonly #clock: Clock;

  constructor(
    services: Pick<AccountServices, 'clock' | 'connections' | 'endpoints' | 'liveValues'>,
    shell: DocumentShell,
  ) {
    super({
      addresses: new DocumentAddresses(START_SCHEME, Address, () => '.start.txt'),
      ...{ shell, clock: services.clock },
      read: (address) => read(services, address),
      lenses: ({ isMeasured }, _, { endpointId }) => {
        const node: EndpointNode = { kind: 'endpoint', endpointId };
        const title = isMeasured
          ? shown`$(search) Measure Again with a New Worker`
          : shown`$(search) Measure Imports with a New Worker`;
        const tooltip = l10n.t('Starts another worker, measures the modules that it loads, and stops it');
        return [codeLens(0, { title, tooltip, command: X_RAY, arguments: [node] })];
      },
    });
    this.#clock = services.clock;
  }

  override register(): vscode.Disposable {
    return vscode.Disposable.from(
      super.register(),
      colorWaterfalls({ scheme: START_SCHEME, onDidRead: this.onDidRead, textOf: (uri) => this.contentOf(uri) }),
      followVisible(this, { clock: this.#clock, goesOn: (uri) => this.contentOf(uri)?.goesOn === true }),
    );
  }

  /** Shows the last start of a worker. */
  async show(address: StartAddress): Promise<void> {
    const uri = this.uriOf(address, address.workerId);
    await this.refresh(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }
}

async function read(
  { connections, endpoints, liveValues }: Pick<AccountServices, 'connections' | 'endpoints' | 'liveValues'>,
  { connectionId, endpointId, workerId }: StartAddress,
): Promise<StartDocument> {
  const { client, profile } = await connectionOfDocument(connections, connectionId);
  const endpoint = endpoints.find(endpointId)?.endpoint;
  const source = { prices: liveValues.current, takesFirst: profile.kind === 'local' };
  const gpuCount = endpoint?.gpu ? (endpoint.gpu.count ?? 1) : 0;
  const usdPerHour = endpoint && rateOf({ gpuTypeId: undefined, gpuCount }, endpoint, source)?.usdPerHour;
  const { start, proposals, now } = await readStart(client, { endpointId, workerId, endpoint, usdPerHour });
  const text = coldStartText(start, proposals, {
    ...{ endpointName: endpoint?.name ?? endpointId, width: waterfallWidth(), now },
  });
  const goesOn = start.spans.some(({ end }) => end === undefined);
  return { ...text, isMeasured: start.otherImports !== undefined, goesOn };
}
