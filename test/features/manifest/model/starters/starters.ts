import assert from 'node:assert/strict';
import { readDraft } from '../../../../../src/features/manifest/actions/createEndpoint.ts';
import type { ManifestLanguage } from '../../../../../src/features/manifest/model/text/node.ts';
import { manifestText, type Section } from '../../../../../src/features/manifest/model/starters/section.ts';
import { readOne } from '../readOne.ts';

export const LANGUAGES: readonly ManifestLanguage[] = ['yaml', 'json'];
export const TARGETS = ['local', 'hosted'] as const;

/** Returns the messages of the problems of a new manifest. */
export function problemsOf(
  sections: readonly Section[],
  options: { readonly language: ManifestLanguage; readonly target: (typeof TARGETS)[number] },
): string[] {
  return readOne(manifestText(sections, options.language), options).problems.map(({ message }) => message);
}

/** Returns the manifest of the sections. Fails if the two formats differ, or if a manifest has errors. */
export function manifestOf(sections: readonly Section[]): object {
  const [yaml, json] = LANGUAGES.map(
    (language) => readOne(manifestText(sections, language), { language, target: 'local' }).manifest,
  );
  assert.ok(yaml);
  assert.deepEqual(json, yaml);
  return yaml;
}

/** Returns the body that the local platform receives for a manifest in this folder. */
export async function localBody(sections: readonly Section[], folder: string, language: ManifestLanguage = 'yaml') {
  const { body } = await readDraft({ text: manifestText(sections, language), language, target: 'local', folder });
  return body;
}
