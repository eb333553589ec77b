import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import { askItem, BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import { notConnected, requireConnection } from '../../../account/connections/requireConnection.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { STARTER_PLACE, type Answer } from './starter.ts';

/** A platform that can be called, with the name of its connection. */
export interface ConnectedTo {
  readonly client: Client;
  readonly platform: string;
}

/** Returns the current connection. Without one, explains the reason and offers its remedy until the user leaves the step. */
export async function connectedStep({ connections }: AccountServices): Promise<Answer<ConnectedTo>> {
  for (;;) {
    const reason = notConnected(connections);
    if (!reason) {
      const { client, profile } = requireConnection(connections);
      return { client, platform: profile.name };
    }
    const { remedy } = reason;
    const items = remedy ? [{ label: shown`$(plug) ${remedy.label}`, command: remedy.command }] : [];
    const choice = await askItem({ place: STARTER_PLACE, placeholder: reason.sentence, items });
    if (choice === undefined || choice === BACK) return choice;
    await vscode.commands.executeCommand(choice.item.command);
    // The remedy's command reports its own failure. A connection that is still missing ends the step.
    if (notConnected(connections)?.code === reason.code) return undefined;
  }
}
