import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { controlDocument, openApiDocument } from '../../src/contract/openapi.ts';
import { AGENT_TOOLS } from '../../src/agents/actions/tools/index.ts';
import { repository } from '../editor/build.ts';
import { extensionTexts } from '../l10n/extensionTexts.ts';
import { readManifest, readPackageTexts } from '../l10n/packageTexts.ts';
import { agentTools } from './agentTools.ts';
import { cliCommands } from './cli.ts';
import { controlRequests } from './controlRequests.ts';
import { diagrams } from './diagrams.ts';
import { imageInstructions } from './imageInstructions.ts';
import { languageModelTools, languageModelToolTexts, TOOL_TEXTS } from './languageModelTools.ts';
import { manifestFields } from './manifestFields.ts';
import { platformOptions } from './platformOptions.ts';
import { withSection } from './section.ts';
import { snippetFile } from './snippets.ts';
import { settings, type Contributions } from './settings.ts';

/** Resolves with the expected content of each generated file, by its path in the repository. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const manifest = JSON.parse(await read('package.json')) as { contributes: Contributions };
  const { contributes } = (await readManifest()) as { contributes: Contributions };
  const sections: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'docs/agents.md': { tools: agentTools(AGENT_TOOLS) },
    'docs/cli.md': { commands: cliCommands() },
    'docs/control-api.md': { requests: controlRequests() },
    'docs/manifest.md': { fields: manifestFields() },
    'docs/platform-options.md': { options: platformOptions() },
    'docs/images.md': { instructions: imageInstructions() },
    'docs/settings-and-commands.md': { settings: settings(contributes) },
  };
  const files = diagrams();
  const withTools = {
    ...manifest,
    contributes: { ...manifest.contributes, languageModelTools: languageModelTools(AGENT_TOOLS) },
  };
  files.set('package.json', await formatted('package.json', JSON.stringify(withTools), 'json-stringify'));
  const ownTexts = Object.entries(await readPackageTexts()).filter(([key]) => !key.startsWith(TOOL_TEXTS));
  const packageTexts = { ...Object.fromEntries(ownTexts), ...languageModelToolTexts(AGENT_TOOLS) };
  files.set('package.nls.json', await formatted('package.nls.json', JSON.stringify(packageTexts), 'json'));
  // A text that has changed is shown in English until it is translated again. `npm run check:release` lists such texts.
  const texts = new Set(await extensionTexts());
  for await (const file of glob('l10n/bundle.l10n.*.json', { cwd: repository })) {
    const translations = Object.entries(JSON.parse(await read(file)) as Record<string, string>);
    const current = Object.fromEntries(translations.filter(([key]) => texts.has(key)));
    files.set(file, await formatted(file, JSON.stringify(current), 'json'));
  }
  for (const [file, parts] of Object.entries(sections)) {
    const document = Object.entries(parts).reduce(
      (text, [name, part]) => withSection(text, name, part),
      await read(file),
    );
    files.set(file, await formatted(file, document, 'markdown'));
  }
  files.set('openapi.json', await formatted('openapi.json', JSON.stringify(openApiDocument()), 'json'));
  files.set(
    'docs/control-openapi.json',
    await formatted('docs/control-openapi.json', JSON.stringify(controlDocument()), 'json'),
  );
  for (const language of ['yaml', 'json'] as const) {
    const file = `media/languages/${language}.snippets.json`;
    files.set(file, await formatted(file, JSON.stringify(snippetFile(language)), 'json'));
  }
  return files;
}

async function formatted(file: string, text: string, parser: 'markdown' | 'json' | 'json-stringify'): Promise<string> {
  return format(text, { ...(await resolveConfig(path.join(repository, file))), parser });
}

function read(file: string): Promise<string> {
  return readFile(path.join(repository, file), 'utf8');
}
