import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { listFiles, PackageManager } from '@vscode/vsce';
import { repository } from '../../scripts/editor/build.ts';
import { MAX_VSIX_BYTES } from '../../scripts/release/vsix.ts';
import { PLATFORM_PROGRAMS } from '../../scripts/image/imageFiles.ts';
import { importedModules } from '../../scripts/image/importedModules.ts';
import { activateOnce, type Activation } from '../support/activation.ts';
import { packageExtension, type BuiltPackage } from '../support/packageExtension.ts';

/** Files that the package can contain. Builds write only to dist. A native module would be another file. */
const allowedFiles =
  /^(package(\.nls(\.[\w-]+)?)?\.json|l10n\/bundle\.l10n\.[\w-]+\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/(extension|platform|cli|imageThread|jsonThread|simulation|snapshotProcess)\.js|dist\/[\w-]+-[A-Z\d]{8}\.js|dist\/THIRD_PARTY_NOTICES\.txt|dist\/webviews\/\w+(-[A-Z\d]{8})?\.(js|css|texts\.json)|media\/languages\/[\w.-]+\.(json|svg)|media\/skills\/[\w-]+\/[\w-]+\.(md|py)|media\/workers\/\w+\.(mjs|py)|media\/(activity-bar\.svg|icon\.png|webviews\/[\w-]+\.svg|walkthrough\/\w+-(dark|light)\.webp)|samples\/hello-queue\/([\w-]+\/)?[\w.-]+\.(md|mjs|json|yaml))$/;

/** All modules that the editor loads to activate the extension. Raise this limit only for code that every activation needs. */
const MAX_ACTIVATION_BYTES = 235_000;
/** Processor time of the activation, as a share of the time that the same process needs to load zod. */
const MAX_ACTIVATION_SHARE = 0.4;
const STARTS = 5;

/** Add a command for one row to the menu of the row instead of the palette. */
const MAX_PALETTE_COMMANDS = 90;
const MAX_UNCONDITIONAL_COMMANDS = 45;
/** A value that has one good answer is no setting. */
const MAX_SETTINGS = 21;

describe('VSIX package', function () {
  let folder = '';
  let built: BuiltPackage;
  let files: readonly string[];

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-'));
    built = await packageExtension(folder);
    files = await listFiles({ cwd: path.dirname(built.dist), packageManager: PackageManager.None });
  });

  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  const sizeOf = async (files: readonly string[]): Promise<number> => {
    const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(built.dist, file))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  };

  it('contains only the allowed files', () => {
    assert.deepEqual(
      files.filter((file) => !allowedFiles.test(file)),
      [],
    );
    const documents = ['package.json', 'README.md', 'LICENSE', 'dist/THIRD_PARTY_NOTICES.txt'];
    for (const file of [...documents, 'media/icon.png', 'media/activity-bar.svg']) {
      assert.ok(files.includes(file), `${file} is missing`);
    }
  });

  it('contains every module that its programs import, and no other module', async () => {
    const programs = [
      'extension.js',
      'platform.js',
      'cli.js',
      'imageThread.js',
      'jsonThread.js',
      'simulation.js',
      'snapshotProcess.js',
    ];
    assert.deepEqual(
      files
        .filter((file) => /^dist\/[^/]+\.js$/.test(file))
        .map((file) => path.posix.basename(file))
        .sort(),
      await importedModules(built.dist, programs),
    );
  });

  it('shares modules between the programs of the platform under names that deploy/Dockerfile copies', async () => {
    const modules = await importedModules(built.dist, PLATFORM_PROGRAMS);
    const shared = modules.filter((name) => !PLATFORM_PROGRAMS.includes(name));
    assert.ok(shared.length > 0);
    assert.deepEqual(
      shared.filter((name) => !/-.{8}\.js$/.test(name)),
      [],
    );
  });

  it('has at most 1.75 MB', async () => {
    const { size } = await stat(built.vsix);
    assert.ok(size <= MAX_VSIX_BYTES, `${size} bytes`);
  });

  it('limits the code that the editor loads to activate the extension', async () => {
    // The entry point loads the rest of the extension with import().
    const entry = await readFile(path.join(built.dist, 'extension.js'), 'utf8');
    const rest = Array.from(entry.matchAll(/import\("\.\/([\w-]+\.js)"\)/g), ([, name = '']) => name);
    assert.equal(rest.length, 1);
    const modules = await importedModules(built.dist, ['extension.js', ...rest], { statically: true });
    assert.ok(modules.length > rest.length + 1);
    const size = await sizeOf(modules);
    assert.ok(size <= MAX_ACTIVATION_BYTES, `${size} bytes`);
  });

  it('activates with less than half of the processor time that loading zod needs', async () => {
    const starts: Activation[] = [];
    for (let start = 0; start < STARTS; start++) starts.push(await activateOnce(entryOf(built)));
    // A busy machine slows down some starts, through its caches. A slow activation slows down all of them.
    const fastest = Math.min(...starts.map(({ cpu }) => cpu));
    const share = fastest / Math.min(...starts.map(({ reference }) => reference));
    assert.ok(share > 0 && share <= MAX_ACTIVATION_SHARE, `${share.toFixed(2)}, with ${fastest.toFixed(1)} ms`);
  });

  describe('registers at activation exactly what its package.json declares:', () => {
    let activation: Activation;
    let declared: Declarations;
    before(async () => {
      activation = await activateOnce(entryOf(built));
      const text = await readFile(path.join(repository, 'package.json'), 'utf8');
      declared = (JSON.parse(text) as { contributes: Declarations }).contributes;
    });

    const kinds: Readonly<Record<string, { call: string; names: (all: Declarations) => readonly string[] }>> = {
      commands: { call: 'commands.registerCommand', names: (all) => all.commands.map(({ command }) => command) },
      views: {
        call: 'window.createTreeView',
        names: (all) => Object.values(all.views).flatMap((views) => views.map(({ id }) => id)),
      },
      'accounts of users': {
        call: 'authentication.registerAuthenticationProvider',
        names: (all) => all.authentication.map(({ id }) => id),
      },
      'language models': {
        call: 'lm.registerLanguageModelChatProvider',
        names: (all) => all.languageModelChatProviders.map(({ vendor }) => vendor),
      },
    };
    for (const [kind, { call, names }] of Object.entries(kinds))
      it(kind, () => {
        const registered = activation.registered.filter(([name]) => name === call).map(([, name]) => name);
        assert.ok(registered.length > 0);
        assert.deepEqual(registered.sort(), [...names(declared)].sort());
      });
  });
});

describe('command palette', () => {
  let shown: readonly { readonly when?: string | undefined }[];

  before(async () => {
    const text = await readFile(path.join(repository, 'package.json'), 'utf8');
    const { commands, menus } = (JSON.parse(text) as { contributes: Declarations }).contributes;
    const conditions = new Map(menus.commandPalette.map(({ command, when }) => [command, when]));
    shown = commands.map(({ command }) => ({ when: conditions.get(command) })).filter(({ when }) => when !== 'false');
  });

  it('shows at most 90 commands', () => {
    assert.ok(shown.length > 0 && shown.length <= MAX_PALETTE_COMMANDS, `${shown.length} commands`);
  });

  it('shows at most 45 commands without a condition', () => {
    const unconditional = shown.filter(({ when }) => when === undefined).length;
    assert.ok(unconditional > 0 && unconditional <= MAX_UNCONDITIONAL_COMMANDS, `${unconditional} commands`);
  });
});

it('the extension has at most 21 settings', async () => {
  const text = await readFile(path.join(repository, 'package.json'), 'utf8');
  const { configuration } = (JSON.parse(text) as { contributes: Declarations }).contributes;
  const settings = Object.keys(configuration.properties);
  assert.ok(settings.length > 0 && settings.length <= MAX_SETTINGS, `${settings.length} settings`);
});

interface Declarations {
  readonly configuration: { readonly properties: object };
  readonly menus: { readonly commandPalette: readonly { command: string; when?: string }[] };
  readonly commands: readonly { command: string }[];
  readonly views: Readonly<Record<string, readonly { id: string }[]>>;
  readonly authentication: readonly { id: string }[];
  readonly languageModelChatProviders: readonly { vendor: string }[];
}

function entryOf({ dist }: BuiltPackage): string {
  return path.join(dist, 'extension.js');
}
