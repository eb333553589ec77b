import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { BACK } from '../../../kit/steps.ts';
import type { Section } from '../model/starters/section.ts';

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
