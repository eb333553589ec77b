import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type BrowserContext, type Frame, type Locator, type Page } from 'playwright-core';
import { readManifest } from '../../scripts/l10n/packageTexts.ts';
import { browserFlags, ensureBrowser } from '../../scripts/editor/browser.ts';
import { build, repository } from '../../scripts/editor/build.ts';
import { restful, type Settings } from '../../scripts/editor/profile.ts';
import { registerCleanup } from '../../scripts/editor/shutdown.ts';
import { startWorkbench, type Workbench } from '../../scripts/editor/workbench.ts';
import { runCommand } from './palette.ts';
import { whenStored, type storedKeys } from './stored.ts';
import { webviewFrame, type FrameTest } from './webview.ts';

/** Maximum time, in ms, to wait for an element. A busy machine starts the extension host in half a minute. */
const WAIT_MS = 120_000;
/** Folder of screenshots, which Git ignores. */
const screenshots = path.join(repository, 'artifacts', 'screenshots');

export interface EditorOptions {
  readonly workspaceFolder: string;
  readonly theme?: 'Default Dark Modern' | 'Default Light Modern' | 'Default High Contrast';
  readonly settings?: Settings;
  /** Display language of extensions, such as `zh-cn`. The editor itself stays English without its language pack. Default: English. */
  readonly language?: string;
  /** Path of a VSIX file to install. Default: the files of the development build. */
  readonly vsix?: string;
  /** Opens the walkthrough, as `npm start` does. */
  readonly welcome?: boolean;
  /** Opens the folder in Restricted Mode. */
  readonly restricted?: boolean;
  /**
   * Folder of the state that a restart restores: settings, extension storage, and browser storage (layout, mementos, secrets). Create it
   * with `temporaryFolder()`. Default: a new temporary folder.
   */
  readonly userDataDir?: string;
}

export interface Editor {
  readonly page: Page;
  readonly workbench: Workbench;
  /** Path of the extension's global storage folder. */
  readonly globalStorage: string;
  /** Writes `artifacts/screenshots/<name>.png` and returns its path. */
  readonly screenshot: (name: string) => Promise<string>;
  /** Runs the command with exactly this title in the palette, such as "Cloud Compute: Run Job". */
  readonly runCommand: (title: string) => Promise<void>;
  /** Reloads the window. Depending on when the editor last stored its tabs and views, it restores the current ones or earlier ones. */
  readonly reload: () => Promise<void>;
  /** Opens the view container or panel view with this title. */
  readonly openView: (name: string) => Promise<void>;
  /** Waits for the frame of a webview, by the title of its panel or by a predicate. */
  readonly webviewFrame: (which: string | FrameTest) => Promise<Frame>;
  /** Returns the visible tree rows that contain a text. */
  readonly treeItem: (text: string | RegExp) => Locator;
  /** Returns the notifications that contain a text. */
  readonly notification: (text: string | RegExp) => Locator;
  /** Removes the focus from the editor, so that it stores its state. Waits until the stored value contains each of the texts. */
  readonly whenStored: (key: keyof typeof storedKeys, ...texts: readonly string[]) => Promise<void>;
  /** Closes the browser and the editor. Rejects if a process that the extension started had to be killed. */
  readonly close: () => Promise<void>;
}

/** Creates a temporary folder for one test. Delete it with `remove()`. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-e2e-'));
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/**
 * Takes a screenshot of the editor when a test fails, as `artifacts/screenshots/failed-<test>.png`. Call it inside a `describe`.
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
 * Skips the remaining tests of a `describe` after a failure. Call it inside a `describe` whose tests depend on each other. Mocha's `bail`
 * would also end files that run in parallel.
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

/** Opens VS Code in a browser, with the built extension and a folder. */
export async function openEditor(options: EditorOptions): Promise<Editor> {
  if (options.vsix === undefined) await build();
  if (!existsSync(options.workspaceFolder)) {
    throw new Error(`The folder ${options.workspaceFolder} does not exist.`);
  }
  const temporary = options.userDataDir === undefined ? await temporaryFolder() : undefined;
  const userDataDir = options.userDataDir ?? temporary?.path ?? '';
  const workbench = await startWorkbench({
    folder: options.workspaceFolder,
    extension: options.vsix === undefined ? { repository, how: 'copy' } : { vsix: options.vsix },
    ...(options.welcome !== undefined && { welcome: options.welcome }),
    port: await storedPort(userDataDir),
    userDataDir,
    settings: {
      ...restful,
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
    // The navigation makes the editor store its open tabs. A test that depends on them waits with `whenStored`. An editor that blocks the
    // navigation is closed anyway.
    await context
      ?.pages()[0]
      ?.goto('about:blank', { timeout: 5_000 })
      .catch(() => undefined);
    await context?.close();
    const { killed } = await workbench.stop();
    await temporary?.remove();
    unregister();
    if (killed.length > 0) {
      throw new Error(
        `These processes did not exit with the editor and were killed:\n${killed.map((one) => one.command).join('\n')}`,
      );
    }
  };
  const unregister = registerCleanup({ stop: closeAll, kill: () => undefined });
  try {
    context = await chromium.launchPersistentContext(path.join(userDataDir, 'browser'), {
      executablePath: await ensureBrowser(console.log),
      args: [...browserFlags],
      viewport: { width: 1440, height: 900 },
      // `closeAll` handles signals, because the browser must close before the editor's processes stop.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const { language } = options;
    if (language !== undefined) await context.addInitScript(setLanguage, language);
    context.setDefaultTimeout(WAIT_MS);
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(workbench.url);
    await waitForWorkbench(page);
    return createEditor(page, workbench, closeAll);
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

/** Runs in the browser before the editor's scripts. The editor reads its language from this variable. */
function setLanguage(language: string): void {
  Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: language });
}

/** Waits until the activity bar shows the view container of the extension. The workbench loads before the extensions. */
async function waitForWorkbench(page: Page): Promise<void> {
  await page.locator('.monaco-workbench .statusbar-item').first().waitFor();
  interface Manifest {
    contributes: { viewsContainers?: { activitybar?: { title: string }[] } };
  }
  const { contributes } = (await readManifest()) as Manifest;
  const title = contributes.viewsContainers?.activitybar?.[0]?.title;
  if (title !== undefined) {
    await activityTab(page, title).waitFor();
  }
}

function activityTab(page: Page, name: string): Locator {
  // A badge extends the name, as in "Cloud Compute - 1 worker is starting".
  return page.getByRole('tab', { name: new RegExp(`^${name.replaceAll(/[^\w ]/g, '\\$&')}( |$)`, 'i') }).first();
}

function createEditor(page: Page, workbench: Workbench, close: () => Promise<void>): Editor {
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
    async reload() {
      await page.reload();
      await waitForWorkbench(page);
    },
    async openView(name) {
      const tab = activityTab(page, name);
      const openTab = tab.and(page.locator('[aria-expanded="true"]'));
      // A click on the active tab closes the view. The editor can restore the view between the check and the click.
      while (!(await openTab.isVisible())) {
        await tab.click();
        await openTab.waitFor({ timeout: 5_000 }).catch(() => undefined);
      }
      await page.locator('.composite.title, .composite-bar-container').filter({ hasText: name }).first().waitFor();
    },
    webviewFrame: (which) => webviewFrame(page, which),
    treeItem: (text) => page.getByRole('treeitem').filter({ hasText: text }),
    notification: (text) => page.locator('.notification-toast').filter({ hasText: text }),
    whenStored: (key, ...texts) => whenStored(page, key, texts),
    close,
  };
}

function portFile(userDataDir: string): string {
  return path.join(userDataDir, 'port');
}

/** Resolves with the port of a reopened profile. It must not change, because browsers store data per address. */
async function storedPort(userDataDir: string): Promise<number> {
  return existsSync(portFile(userDataDir)) ? Number(await readFile(portFile(userDataDir), 'utf8')) : 0;
}
