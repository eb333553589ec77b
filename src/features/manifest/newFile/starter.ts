import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { BACK, askItem } from '../../../kit/steps.ts';
import type { Section } from '../model/starters/section.ts';
import type { Client } from '../../../client/client.ts';
import { shown } from '../../../text/shownText.ts';
import { notConnected, requireConnection } from '../../../account/connections/requireConnection.ts';
import type { AccountServices } from '../../../account/accountServices.ts';

/** Result of a step: the user's answer, a step back, or undefined if the user dismissed the step. */
export type Answer<Value> = Value | typeof BACK | undefined;

/** Content that a new file starts from, once the user has chosen it. */
export interface Starter {
  /** Text from which the default file name is derived. */
  readonly name: string;
  /** Returns the sections of the file. The default name of its endpoint is that of the file. */
  readonly sections: (endpointName: string) => readonly Section[];
}

/** Place of the new file. */
export interface Target {
  /** Undefined for an untitled file, which has no folder. */
  readonly folder: vscode.Uri | undefined;
}

export const TITLE = l10n.t('New Endpoint File');
export const TOTAL_STEPS = 3;

/** Position of the second step, which chooses the starter. */
export const STARTER_PLACE = { title: TITLE, step: 2, totalSteps: TOTAL_STEPS, back: true } as const;

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
