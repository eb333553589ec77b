import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type BrowserContext, type Frame, type Locator, type Page } from 'playwright-core';
import { browserFlags, ensureBrowser } from '../../scripts/editor/browser.ts';
import { build, repository } from '../../scripts/editor/build.ts';
import type { Settings } from '../../scripts/editor/profile.ts';
import { endWithUs } from '../../scripts/editor/shutdown.ts';
import { startWorkbench, type Workbench } from '../../scripts/editor/workbench.ts';
import { runCommand } from './palette.ts';
import { whenStored } from './stored.ts';
import { webviewFrame, type FrameTest } from './webview.ts';

/** Ignored by git, kept as artifacts of a test run. */
const screenshots = path.join(repository, 'artifacts', 'screenshots');

export interface EditorOptions {
  readonly workspaceFolder: string;
  readonly theme?: 'Default Dark Modern' | 'Default Light Modern' | 'Default High Contrast';
  readonly settings?: Settings;
  /** Opens the folder untrusted, in Restricted Mode. */
  readonly restricted?: boolean;
  /**
   * Keeps everything a person would find again after closing and reopening: settings, the extension's storage, and the
   * browser's (layout, mementos, secrets). Make it with `temporaryFolder()`. Temporary when absent.
   */
  readonly userDataDir?: string;
}

export interface Editor {
  readonly page: Page;
  readonly workbench: Workbench;
  /** Where the extension keeps what belongs to no workspace, on disk. */
  readonly globalStorage: string;
  /** Writes `artifacts/screenshots/<name>.png` and returns its path. */
  readonly screenshot: (name: string) => Promise<string>;
  /** Picks the command whose palette entry reads exactly `title` ("Cloud Compute: Run Job"). */
  readonly runCommand: (title: string) => Promise<void>;
  /** Opens the view container or panel view with this title from its activity bar or panel tab. */
  readonly openView: (name: string) => Promise<void>;
  /** The document of a webview: by the title of its panel, or by what a test of the frame says. Waits for it. */
  readonly webviewFrame: (which: string | FrameTest) => Promise<Frame>;
  /** A row of any tree that is on the screen, by a text in it. */
  readonly treeItem: (text: string | RegExp) => Locator;
  /** A notification, by a text in it. */
  readonly notification: (text: string | RegExp) => Locator;
  /** Takes the focus away from the editor, upon which it stores what is open, and waits until that mentions `text`. */
  readonly whenStored: (text: string) => Promise<void>;
  /** Closes browser and editor. Rejects when something the extension started had to be killed. */
  readonly close: () => Promise<void>;
}

/** A folder of its own for one test, in the system's temporary folder. Remove it with `remove()`. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-e2e-'));
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/**
 * Call inside a `describe`: a test that fails leaves `artifacts/screenshots/failed-<test>.png`, because what the editor
 * showed says more than a selector that was not found.
 */
export function screenshotOnFailure(editor: () => Editor | undefined): void {
  afterEach(async function () {
    const test = this.currentTest;
    if (test?.state === 'failed') {
      await editor()?.screenshot(`failed-${test.fullTitle().replaceAll(/\W+/g, '-')}`);
    }
  });
}

/**
 * Call inside a `describe` whose tests build on one another: after one has failed, the others are skipped. Mocha's own
 * `bail` would end the files that run in parallel, too.
 */
export function skipAfterFailure(): void {
  let failed = false;
  beforeEach(function () {
    if (failed) this.skip();
  });
  afterEach(function () {
    failed ||= this.currentTest?.state === 'failed';
  });
}

let built: Promise<void> | undefined;

/** Opens VS Code with the built extension and a folder, in a browser, as a person would find it. */
export async function openEditor(options: EditorOptions): Promise<Editor> {
  built ??= build();
  await built;
  if (!existsSync(options.workspaceFolder)) {
    throw new Error(`There is no folder ${options.workspaceFolder} to open in the editor.`);
  }
  const temporary = options.userDataDir === undefined ? await temporaryFolder() : undefined;
  const userDataDir = options.userDataDir ?? temporary?.path ?? '';
  const workbench = await startWorkbench({
    folder: options.workspaceFolder,
    extension: { repository, how: 'copy' },
    port: await rememberedPort(userDataDir),
    userDataDir,
    settings: {
      'workbench.colorTheme': options.theme ?? 'Default Dark Modern',
      ...(options.restricted === true ? { 'security.workspace.trust.startupPrompt': 'never' } : {}),
      ...options.settings,
    },
    workspaceTrust: options.restricted === true,
    log: console.log,
  });
  await writeFile(portFile(userDataDir), String(workbench.port));

  let context: BrowserContext | undefined;
  const closeAll = async (): Promise<void> => {
    // The editor begins to store what is open when its page is left: a test that relies on it waits with `whenStored`.
    // One that objects to being left ends all the same.
    await context
      ?.pages()[0]
      ?.goto('about:blank', { timeout: 5_000 })
      .catch(() => undefined);
    await context?.close();
    const { killed } = await workbench.stop();
    await temporary?.remove();
    forget();
    if (killed.length > 0) {
      throw new Error(
        `These outlived the editor and had to be killed:\n${killed.map((one) => one.command).join('\n')}`,
      );
    }
  };
  const forget = endWithUs({ stop: closeAll, kill: () => undefined });
  try {
    context = await chromium.launchPersistentContext(path.join(userDataDir, 'browser'), {
      executablePath: await ensureBrowser(console.log),
      args: [...browserFlags],
      viewport: { width: 1440, height: 900 },
      // We end it ourselves, after the editor, and the editor's processes with it.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(workbench.url);
    await page.locator('.monaco-workbench .statusbar-item').first().waitFor({ timeout: 60_000 });
    await contributed(page);
    return asEditor(page, workbench, closeAll);
  } catch (error) {
    const file = path.join(screenshots, `failed-to-open-${path.basename(userDataDir)}.png`);
    await context
      ?.pages()[0]
      ?.screenshot({ path: file })
      .catch(() => undefined);
    await closeAll();
    throw error;
  }
}

/** The workbench stands before it knows the extensions: waits until what ours contributes to the activity bar is there. */
async function contributed(page: Page): Promise<void> {
  interface Manifest {
    contributes: { viewsContainers?: { activitybar?: { title: string }[] } };
  }
  const { contributes } = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as Manifest;
  const title = contributes.viewsContainers?.activitybar?.[0]?.title;
  if (title !== undefined) {
    await activityTab(page, title).waitFor();
  }
}

function activityTab(page: Page, name: string): Locator {
  // A badge adds to the name: "Cloud Compute - 1 worker is starting".
  return page.getByRole('tab', { name: new RegExp(`^${name.replaceAll(/[^\w ]/g, '\\$&')}( |$)`, 'i') }).first();
}

function asEditor(page: Page, workbench: Workbench, close: () => Promise<void>): Editor {
  return {
    page,
    workbench,
    globalStorage: path.join(workbench.userDataDir, 'User', 'globalStorage', 'cloud-compute.cloud-compute'),
    async screenshot(name) {
      const file = path.join(screenshots, `${name}.png`);
      await mkdir(path.dirname(file), { recursive: true });
      await page.screenshot({ path: file, animations: 'disabled' });
      return file;
    },
    runCommand: (title) => runCommand(page, title),
    async openView(name) {
      const tab = activityTab(page, name);
      // A second click on the active tab would close what is open.
      if ((await tab.getAttribute('aria-expanded')) !== 'true') {
        await tab.click();
      }
      await page.locator('.composite.title, .composite-bar-container').filter({ hasText: name }).first().waitFor();
    },
    webviewFrame: (which) => webviewFrame(page, which),
    treeItem: (text) => page.getByRole('treeitem').filter({ hasText: text }),
    notification: (text) => page.locator('.notification-toast').filter({ hasText: text }),
    whenStored: (text) => whenStored(page, text),
    close,
  };
}

function portFile(userDataDir: string): string {
  return path.join(userDataDir, 'port');
}

/** A browser keeps what it stores per address, so a profile that is opened again must be served at the same port. */
async function rememberedPort(userDataDir: string): Promise<number> {
  return existsSync(portFile(userDataDir)) ? Number(await readFile(portFile(userDataDir), 'utf8')) : 0;
}
