import * as l10n from '@vscode/l10n';
import { stringify } from 'yaml';
import type { Manifest } from '../../../contract/manifest.ts';
import type { Comparison } from '../model/deployment/compare.ts';
import { deployedManifest, editsBetween, keptReferences } from '../model/deployment/deployedManifest.ts';
import type { EditSource } from '../model/editing/editedValue.ts';
import type { TextChange } from '../../../text/span.ts';
import { changesOf } from '../model/editing/changesOf.ts';
import { applyChanges } from '../model/editing/textChanges.ts';
import { withReferences, type HiddenValue } from '../../../account/secrets/hiddenValues.ts';
import { patchEdit } from '../model/patched/patchEdits.ts';
import type { ManifestFile } from '../model/manifestFile.ts';
import type { ManifestLanguage } from '../model/text/parsed.ts';
import { directoryInFile, type Surroundings } from './compareWithDeployed.ts';

/* Steps that write the settings of a deployed endpoint into its manifest, or into a document for a comparison. */

export interface PullSource extends Surroundings {
  readonly file: Pick<ManifestFile, 'text' | 'language' | 'parts'>;
  /** Index of the endpoint in the file. */
  readonly part: number;
  readonly comparison: Comparison;
  /** Values that the text names by their references. */
  readonly hidden: readonly HiddenValue[];
}

export interface Pull {
  /** Changes of the text of the file. They keep its comments and formatting. */
  readonly changes: readonly TextChange[];
  /** Names of variables whose references stay in the file although the endpoint has other values. */
  readonly kept: readonly string[];
}

/** Thrown if the text cannot be edited, for example because a field comes from an anchor. */
export class UneditableTextError extends Error {
  constructor() {
    super(l10n.t('the settings cannot be changed without changing others'));
    this.name = 'UneditableTextError';
  }
}

/** Returns the changes that make a manifest describe its endpoint. @throws UneditableTextError */
export function pullManifest(source: PullSource): Pull {
  const { manifest } = sourceOf(source);
  const changes = changesTo(source, deployedValue(source, manifest, 'keep'));
  if (!changes) throw new UneditableTextError();
  return { changes, kept: keptReferences(manifest, source.comparison) };
}

/**
 * Returns the text of the file with the settings of the endpoint. Secrets do not appear in it, and comments stay, so that only settings
 * differ. If the text cannot be edited, returns only this endpoint, in the order of the file.
 */
export function deployedText(source: PullSource): string {
  const { manifest, edited } = sourceOf(source);
  const value = deployedValue(source, manifest, 'hide');
  const changes = changesTo(source, value);
  const { text, language } = edited;
  return changes ? applyChanges(text, changes) : textOf(value, language);
}

/** Returns the changes of the text that give the manifest a value. In an environment, they are changes of its patch. */
function changesTo(source: PullSource, value: Readonly<Record<string, unknown>>): TextChange[] | undefined {
  const { manifest, edited } = sourceOf(source);
  const edits = editsBetween(manifest, value);
  const { environment } = source.file.parts[source.part] ?? {};
  if (!environment || edits.length === 0) return changesOf(edited, edits);
  const edit = patchEdit(edited.root, environment, edits);
  return edit && changesOf(edited, [edit]);
}

function sourceOf({ file, part }: PullSource): { readonly manifest: Manifest; readonly edited: EditSource } {
  const { text, language, parts } = file;
  const { manifest, root } = parts[part] ?? {};
  if (!manifest) throw new UneditableTextError();
  return { manifest, edited: { text, language, root } };
}

function deployedValue(
  { comparison, target, folder, hidden }: PullSource,
  manifest: Manifest,
  secrets: 'hide' | 'keep',
): Readonly<Record<string, unknown>> {
  const inFile = (directory: string) => directoryInFile(directory, folder);
  const inEnv = (value: string) => withReferences({ value }, hidden)['value'] ?? '';
  return deployedManifest(manifest, comparison, { target, directoryInFile: inFile, textOf: inEnv, secrets });
}

function textOf(value: object, language: ManifestLanguage): string {
  if (language === 'json') return `${JSON.stringify(value, undefined, 2)}\n`;
  return stringify(value, { lineWidth: 0 });
}
