import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { browserFlags, ensureBrowser } from '../../scripts/editor/browser.ts';
import { build, repository } from '../../scripts/editor/build.ts';
import {
  webviewDocument,
  type WebviewPage as WebviewDefinition,
  type WebviewTexts,
} from '../../src/kit/webviewPage.ts';
import { THEMES, themeClasses, themeStyle, type Theme } from './themes.ts';

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' };

/** A webview's page in a browser, with a fake editor. */
export interface WebviewPage {
  readonly page: Page;
  /** Messages of the page to its host, oldest first. */
  readonly sent: () => Promise<unknown[]>;
  /** Sends a message from the host to the page. Bytes must be a `Uint8Array` that is not a `Buffer`. */
  readonly receive: (message: unknown) => Promise<void>;
  /** Errors and warnings of the browser, including policy violations. */
  readonly complaints: readonly string[];
  readonly screenshot: (name: string) => Promise<void>;
}

export interface WebviewOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** Zoom of the window as a factor. The page has less room, as in the editor. Default: 1. */
  readonly zoom?: number;
  /** Name of the time zone. Default: UTC. */
  readonly timeZone?: string;
  /** Whether the system replaces the colors of the page, as the contrast themes of Windows do. */
  readonly forcedColors?: boolean;
  /** State that the page stored earlier. */
  readonly state?: unknown;
}

/** Serves `dist/webviews` to a browser, with the document of a page and the texts of a language. */
export async function startWebviews(
  shown: WebviewDefinition,
  texts: WebviewTexts = { language: 'en', bundle: undefined },
) {
  await build();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const theme = /^\/theme\/([a-z-]+)\.css$/.exec(pathname)?.[1];
    const content =
      pathname === '/index.html'
        ? Promise.resolve(documentAt(origin, shown, texts))
        : theme !== undefined && theme in THEMES
          ? Promise.resolve(themeStyle(theme as Theme))
          : readFile(path.join(repository, 'dist', 'webviews', path.basename(pathname)));
    content.then(
      (body) => response.writeHead(200, { 'Content-Type': TYPES[path.extname(pathname)] ?? '' }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: [...browserFlags] });
  return {
    open: (options: WebviewOptions = {}) => openPage(browser, origin, options),
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function documentAt(origin: string, shown: WebviewDefinition, texts: WebviewTexts): string {
  const at = (file: string) => `${origin}/${shown.name}.${file}`;
  return webviewDocument(shown, { script: at('js'), style: at('css'), source: origin, nonce: 'a-nonce' }, texts);
}

async function openPage(
  browser: Browser,
  origin: string,
  {
    theme = 'dark',
    width = 900,
    height = 900,
    zoom = 1,
    timeZone = 'UTC',
    forcedColors = false,
    state,
  }: WebviewOptions,
): Promise<WebviewPage> {
  const page = await browser.newPage({
    viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) },
    deviceScaleFactor: zoom,
    timezoneId: timeZone,
    forcedColors: forcedColors ? 'active' : 'none',
  });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  // Runs before the page's script and is not subject to its policy, like the editor's script.
  await page.addInitScript((kept) => {
    const sent: unknown[] = [];
    let current: unknown = kept;
    Object.assign(globalThis, {
      sent,
      acquireVsCodeApi: () => ({
        postMessage: (message: unknown) => sent.push(message),
        getState: () => current,
        setState: (next: unknown) => (current = next),
      }),
    });
  }, state);
  await page.goto(`${origin}/index.html?${theme}`);
  await page.addStyleTag({ url: `${origin}/theme/${theme}.css` });
  await page.evaluate(`document.body.className = ${JSON.stringify(themeClasses(theme))}`);
  return {
    page,
    complaints,
    sent: () => page.evaluate(() => (globalThis as unknown as { sent: unknown[] }).sent),
    receive: (message) => {
      const text = JSON.stringify(message, (_name, value: unknown) =>
        value instanceof Uint8Array ? { bytesInBase64: Buffer.from(value).toString('base64') } : value,
      );
      return page.evaluate(`{
        const bytesOf = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
        const revive = (_name, value) => (value?.bytesInBase64 === undefined ? value : bytesOf(value.bytesInBase64));
        dispatchEvent(new MessageEvent('message', { data: JSON.parse(${JSON.stringify(text)}, revive) }));
      }`);
    },
    screenshot: async (name) => {
      await page.screenshot({
        fullPage: true,
        path: path.join(repository, 'artifacts', 'screenshots', 'webviews', `${name}.png`),
      });
    },
  };
}
