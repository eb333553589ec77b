import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { ApiError } from '../../../src/client/apiError.ts';
import { EditFailedError } from '../../../src/features/images/actions/editImage.ts';
import { FetchImageError } from '../../../src/features/images/actions/fetchImage.ts';
import { SourceError } from '../../../src/features/images/actions/readSource.ts';
import { IMAGE_EDIT_PAGE } from '../../../src/features/images/imageEditFailures.ts';
import { SUGGESTIONS } from '../../../src/features/images/model/suggestions.ts';
import { shown } from '../../../src/text/shownText.ts';
import { ToHost, type ImageEditToHost } from '../../../src/webviews/imageEdit/messages.ts';
import { accessibilityProblems } from '../axe.ts';
import { THEMES, type Theme } from '../themes.ts';
import { startWebviews, type WebviewPage } from '../webviewPage.ts';
import {
  before as beforeImage,
  edited,
  fileSource,
  finished,
  history,
  HOSTED,
  imageOf,
  NONE,
  NOW,
  sender,
  urlSource,
  type Shown,
} from './sample.ts';

describe('the page of the image editor', function () {
  let webviews: Awaited<ReturnType<typeof startWebviews>>;
  let open: WebviewPage | undefined;
  /** Complaints of the browser that a test expects. */
  let expected: readonly string[] = [];

  before(async () => {
    webviews = await startWebviews(IMAGE_EDIT_PAGE);
  });

  after(() => webviews[Symbol.asyncDispose]());

  const start = async (state: Shown, options: Parameters<typeof webviews.open>[0] = {}) => {
    open = await webviews.open(options);
    const show = sender(open);
    await show(state);
    return { ...open, show };
  };
  /** Returns the last message of the page, as the editor validates it. */
  const last = async (): Promise<ImageEditToHost> => ToHost.parse((await open?.sent())?.at(-1));
  const count = async () => (await open?.sent())?.length ?? 0;
  const prompt = (page: Page) => page.getByLabel('Prompt', { exact: true });
  const runButton = (page: Page) => page.getByRole('button', { name: 'Edit Image', exact: true });
  const fits = (page: Page) => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');
  /** Resolves once that many pictures are shown. */
  const pictures = (page: Page, number: number) =>
    // A text that is a function is evaluated once. The policy of the page forbids a later evaluation.
    page.waitForFunction(
      `(number) => [...document.querySelectorAll('.stage img')].filter((one) => one.naturalWidth > 0).length === number`,
      number,
    );

  afterEach(async () => {
    assert.deepEqual(open?.complaints, expected, 'the browser reports no errors and no policy violations');
    await open.page.close();
    open = undefined;
    expected = [];
  });

  for (const theme of Object.keys(THEMES) as Theme[]) {
    it(`has no accessibility problem in the ${theme} theme`, async () => {
      const { page, screenshot, show } = await start({ history }, { theme, width: 1100 });
      const check = async (name: string) => {
        await screenshot(`image-edit-${name}-${theme}`);
        assert.deepEqual(await accessibilityProblems(page), []);
      };
      await page.getByText('Drop or paste an image.').waitFor();
      await check('empty');
      await show({ state: edited, history, form: { prompt: 'make it black and white' } });
      await pictures(page, 2);
      await check('side-by-side');
      await page.getByRole('button', { name: 'Slider' }).click();
      await page.getByRole('slider').waitFor();
      await check('slider');
      await page.getByRole('button', { name: '1600 %' }).click();
      await check('pixels');
      await show({ state: { source: fileSource, run: { phase: 'running', since: NOW - 3_000 } } });
      await page.getByRole('button', { name: 'Cancel' }).waitFor();
      await check('running');
      const reason = 'the prompt contains no known instruction; the known instructions are: black and white, sepia';
      const error = new EditFailedError('failed', { id: 'sync-99', error: reason });
      await show({ state: { ...edited, error }, history });
      await page.getByRole('alert').waitFor();
      await page.getByText('All suggestions').click();
      await check('failed');
      await show({
        state: { source: urlSource, result: { edit: finished, source: urlSource, image: beforeImage } },
        connection: HOSTED,
      });
      await page.getByText('Not loaded').waitFor();
      await check('hosted');
    });

    it(`is usable at 200 % zoom in the ${theme} theme`, async () => {
      const { page, screenshot } = await start({ state: edited, history }, { theme, zoom: 2 });
      await pictures(page, 2);
      await screenshot(`image-edit-zoomed-${theme}`);
      assert.ok(await fits(page));
    });
  }

  it('gives secondary buttons no background in the high-contrast theme', async () => {
    const { page } = await start({ state: edited, history }, { theme: 'high-contrast' });
    await page.locator('vscode-button[secondary]').first().waitFor();
    const background = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('vscode-button[secondary]')).backgroundColor`,
    );
    assert.equal(background, 'rgba(0, 0, 0, 0)');
  });

  it('marks the selected layout where the system replaces all colors', async () => {
    const { page, screenshot } = await start({ state: edited, history }, { forcedColors: true });
    await pictures(page, 2);
    await screenshot('image-edit-forced-colors');
    const backgrounds = await page.evaluate<string[][]>(
      `[...document.querySelectorAll('.segments button')].map((one) => [one.ariaPressed, getComputedStyle(one).backgroundColor])`,
    );
    const pressed = backgrounds.filter(([isPressed]) => isPressed === 'true').map(([, color]) => color);
    const others = backgrounds.filter(([isPressed]) => isPressed !== 'true').map(([, color]) => color);
    assert.ok(pressed.length > 0 && !pressed.some((color) => others.includes(color)), JSON.stringify(backgrounds));
  });

  it('writes prompts and names from right to left', async () => {
    const state = { ...edited, source: { ...fileSource, name: 'תמונה (2).png' } };
    const connection = { client: {} as never, profile: { id: 'h', kind: 'hosted', name: 'ענן א׳' } as never };
    const { page, screenshot } = await start({ state, history, connection });
    await prompt(page).fill('הוסף כובע אדום, 2x');
    await screenshot('image-edit-rtl');
    const bidi = await page.evaluate<string>(`getComputedStyle(document.querySelector('.name')).unicodeBidi`);
    assert.equal(bidi, 'plaintext');
    assert.deepEqual(await accessibilityProblems(page), []);
  });

  it('fits a column of 300 pixels', async () => {
    const { page, screenshot, show } = await start({ state: edited, history }, { width: 300 });
    await pictures(page, 2);
    await page.getByText('All suggestions').click();
    await screenshot('image-edit-narrow');
    assert.ok(await fits(page));
    await show({ connection: HOSTED });
    await page.getByLabel('Image URL').waitFor();
    await screenshot('image-edit-narrow-empty');
    assert.ok(await fits(page));
  });

  it('starts an edit with the button and with Ctrl+Enter, and cancels it with Escape', async () => {
    const { page, show } = await start({ state: { source: fileSource } });
    await page.getByText('Describe the edit.').waitFor();
    await prompt(page).fill('blur it');
    await page.getByLabel('JPEG').check();
    await page.getByLabel('Off').check();
    await runButton(page).click();
    const form = {
      prompt: 'blur it',
      negativePrompt: '',
      seedMode: 'random',
      seed: '',
      format: 'jpeg',
      safetyChecker: false,
    };
    assert.deepEqual(await last(), { type: 'run', form });
    await prompt(page).press('Control+Enter');
    assert.deepEqual(await last(), { type: 'run', form });
    await show({ state: { source: fileSource, run: { phase: 'queued', since: NOW } } });
    await page.getByRole('status').getByText('Waiting for a worker…').waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    assert.deepEqual(await last(), { type: 'cancel' });
    const sent = await count();
    await prompt(page).press('Control+Enter');
    assert.equal(await count(), sent, 'one edit runs at a time');
  });

  it('leaves the seed, the format, and the safety checker to the service', async () => {
    const { page, screenshot } = await start({
      state: edited,
      form: { prompt: 'blur it', seedMode: 'fixed', seed: '7' },
    });
    for (const name of ['Seed', 'Format', 'Safety checker'])
      await page.getByRole('group', { name }).getByLabel('Default').check();
    await runButton(page).click();
    const form = {
      ...{ prompt: 'blur it', negativePrompt: '', seedMode: 'service', seed: '7' },
      ...{ format: undefined, safetyChecker: undefined },
    };
    assert.deepEqual(await last(), { type: 'run', form });
    assert.equal(await page.getByRole('textbox', { name: 'Seed' }).isDisabled(), true);
    await screenshot('image-edit-service-defaults');
    await page.getByLabel('PNG').check();
    await runButton(page).click();
    assert.deepEqual(await last(), { type: 'run', form: { ...form, format: 'png' } });
  });

  it('sends no edit without an image, with an empty prompt, or with one that is too long', async () => {
    const { page, show } = await start({});
    await page.getByText('Choose an image first.').waitFor();
    await prompt(page).fill('x'.repeat(10_000));
    await page.getByText('10,000 of 4,000 characters: too long').waitFor();
    await prompt(page).fill('x'.repeat(3_601));
    await page.locator('.count', { hasText: '3,601 of 4,000 characters' }).waitFor();
    await prompt(page).fill('x'.repeat(3_600));
    await page.locator('.visually-hidden', { hasText: '3,600 of 4,000 characters' }).waitFor({ state: 'attached' });
    await prompt(page).fill('x'.repeat(4_001));
    await show({ state: { source: fileSource } });
    await page.getByText('The prompt is too long.').waitFor();
    const sent = await count();
    await prompt(page).press('Control+Enter');
    await prompt(page).fill('  ');
    await prompt(page).press('Control+Enter');
    assert.equal(await count(), sent);
  });

  it('adds suggestions to the prompt', async () => {
    const { page } = await start({ state: { source: fileSource } });
    await page.getByRole('button', { name: 'Black and White' }).click();
    await page.getByText('All suggestions').click();
    await page.getByRole('button', { name: 'Add Flip: flip horizontally' }).click();
    assert.equal(await prompt(page).inputValue(), 'make it black and white, flip horizontally');
    assert.equal(await page.locator('.suggestions li').count(), SUGGESTIONS.length);
  });

  it('repeats an edit with the same seed', async () => {
    const { page } = await start({ state: edited, form: { prompt: 'add film grain' } });
    await page.getByRole('button', { name: 'Last Seed' }).click();
    await runButton(page).click();
    const message = await last();
    assert.ok(message.type === 'run');
    assert.deepEqual([message.form.seedMode, message.form.seed], ['fixed', '1234']);
    await page.getByRole('textbox', { name: 'Seed' }).fill('1.5');
    await page.getByText('Enter a whole number as the seed.').waitFor();
  });

  it('reads no address by itself, and loads the image on request', async () => {
    const { page, show } = await start({});
    await page.getByLabel('Image URL').fill('https://example.com/a.png');
    await page.getByLabel('Image URL').press('Enter');
    assert.deepEqual(await last(), { type: 'sourceUrl', url: 'https://example.com/a.png' });
    await show({ state: { source: urlSource } });
    await page.getByText('Only the platform reads this address.').waitFor();
    assert.equal(await page.locator('img').count(), 0);
    await page.getByRole('button', { name: 'Load Image' }).click();
    assert.deepEqual(await last(), { type: 'loadSource' });
    await show({ state: { source: { ...urlSource, image: beforeImage } } });
    await pictures(page, 1);
    assert.match((await page.locator('.stage img').getAttribute('src')) ?? '', /^blob:/);
  });

  it('takes a dropped file, a file of the Explorer, and a pasted image', async () => {
    const { page } = await start({});
    const dispatch = (type: string, kind: 'drop' | 'paste', data: string) =>
      page.evaluate<void>(`{
        const data = new DataTransfer();
        const [type, text] = ${JSON.stringify([type, data])};
        if (type === 'Files') data.items.add(new File([text], 'a.png', { type: 'image/png' }));
        else data.setData(type, text);
        const options = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
        document.body.dispatchEvent(new ${kind === 'drop' ? 'DragEvent' : 'ClipboardEvent'}('${kind}', options));
      }`);
    const next = async (act: () => Promise<void>) => {
      const sent = await count();
      await act();
      await page.waitForFunction((number) => (globalThis as unknown as { sent: unknown[] }).sent.length > number, sent);
      return last();
    };
    const bytes = { type: 'sourceBytes', name: 'a.png', bytes: new Uint8Array(Buffer.from('abc')) };
    assert.deepEqual(await next(() => dispatch('Files', 'drop', 'abc')), bytes);
    assert.deepEqual(await next(() => dispatch('Files', 'paste', 'abc')), bytes);
    const uri = 'file:///folder/a%20b.png';
    assert.deepEqual(await next(() => dispatch('text/uri-list', 'drop', `# comment\r\n${uri}\r\n`)), {
      type: 'sourceUri',
      uri,
    });
    const large = await next(() => dispatch('Files', 'drop', 'x'.repeat(15 * 1_048_576)));
    assert.deepEqual(large, { type: 'sourceTooLarge', bytes: 15 * 1_048_576 });
  });

  it('compares with a slider that the keyboard moves and that speaks its value', async () => {
    const { page } = await start({ state: edited });
    await page.getByRole('button', { name: 'Slider' }).click();
    const slider = page.getByRole('slider');
    await slider.press('Home');
    assert.equal(await slider.getAttribute('aria-valuetext'), 'Before: 0 %, after: 100 %');
    for (let step = 0; step < 30; step++) await slider.press('ArrowRight');
    assert.equal(await slider.getAttribute('aria-valuetext'), 'Before: 30 %, after: 70 %');
    assert.equal(await page.evaluate("document.querySelector('.clipped').style.clipPath"), 'inset(0px 0px 0px 30%)');
    const line = await page.locator('.divider').boundingBox();
    assert.ok(line);
    await page.mouse.move(line.x + line.width / 2, line.y + 50);
    await page.mouse.down();
    await page.mouse.move(line.x + line.width / 2 + 200, line.y + 50, { steps: 4 });
    await page.mouse.up();
    assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /^Before: [5-9]\d %/);
  });

  it('shows single pixels of both sides at the same place', async () => {
    const { page } = await start({ state: edited });
    await pictures(page, 2);
    const places = () =>
      page.evaluate<[width: string, transform: string, isPixelated: boolean][]>(
        `[...document.querySelectorAll('.stage img')].map(({ style, classList }) =>
          [style.width, style.transform, classList.contains('pixels')])`,
      );
    await page.getByRole('button', { name: '1600 %' }).click();
    const [one, other] = await places();
    assert.equal(one?.[0], '1920px');
    assert.deepEqual(one, other);
    assert.equal(one[2], true, 'nearest neighbor');
    await page.locator('.stage').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    const [moved, follows] = await places();
    assert.notEqual(moved?.[1], one[1]);
    assert.deepEqual(moved, follows, 'both sides move together');
    await page.keyboard.press('0');
    assert.equal(await page.getByRole('button', { name: 'Fit' }).getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('+');
    assert.equal(await page.getByRole('button', { name: '100 %' }).getAttribute('aria-pressed'), 'true');
  });

  it('says that a picture with damaged data cannot be shown', async () => {
    const damaged = imageOf(beforeImage.bytes.slice(0, 40), 120, 80);
    const { page } = await start({ state: { source: { ...fileSource, image: damaged } } });
    await page.getByText('This picture may be damaged.').waitFor();
  });

  it('shows the facts of the result, and acts on it', async () => {
    const { page } = await start({ state: edited });
    const facts = (await page.locator('dl > div').allInnerTexts()).map((text) => text.split('\n'));
    assert.deepEqual(facts.slice(2), [
      ['Seed', '1234'],
      ['Cost', '$0.02, not billed'],
      ['Time in queue', '12 ms'],
      ['Run time', '1.4 s'],
      ['Worker', 'worker12345678'],
      ['Request ID', 'sync-1234 Copy'],
      ['Image URL', facts.at(-1)?.[1]],
    ]);
    assert.match(facts.at(-1)?.[1] ?? '', /^Expires in (7 d 0 h|6 d 23 h)$/);
    const act = async (name: string) => {
      await page.getByRole('button', { name }).click();
      return last();
    };
    assert.deepEqual(await act('Save to Workspace'), { type: 'save' });
    assert.deepEqual(await act('Edit Again'), { type: 'editAgain' });
    assert.deepEqual(await act('Open in Editor'), { type: 'openResult' });
    assert.deepEqual(await act('Copy Image URL'), { type: 'copy', what: 'url' });
    assert.deepEqual(await act('Copy Request ID'), { type: 'copy', what: 'requestId' });
    await page.getByRole('status').getByText('Edited in 1.4 s, 120 by 80 pixels.').waitFor({ state: 'attached' });
  });

  it('offers the remedy of each kind of error', async () => {
    const { page, show } = await start({ state: { source: fileSource }, connection: NONE });
    const alert = page.getByRole('alert');
    const press = async (name: string) => {
      await alert.getByRole('button', { name }).click();
      return last();
    };
    await alert.getByText('No platform is connected.').waitFor();
    assert.deepEqual(await press('Start Local Platform'), { type: 'act', action: 'startLocalPlatform' });
    await show({ connection: { ...HOSTED, client: undefined } });
    await alert.getByText('You are signed out').waitFor();
    assert.deepEqual(await press('Sign In'), { type: 'act', action: 'replaceKey' });
    const failed = (kind: ApiError['kind']) => new ApiError(kind, 'some reason', { operation: 'runJobSync' });
    await show({ state: { source: fileSource, error: failed('unauthorized') } });
    assert.deepEqual(await press('Replace API Key'), { type: 'act', action: 'replaceKey' });
    await show({ state: { source: fileSource, error: failed('rateLimited') }, form: { prompt: 'blur' } });
    assert.equal((await press('Try Again')).type, 'run');
    await show({ state: { source: fileSource, error: failed('network') } });
    await alert.getByText('The platform cannot be reached (some reason).').waitFor();
    await show({ state: { source: fileSource, error: new SourceError('needsAddress', 'Enter an address.') } });
    assert.deepEqual(await press('Switch Connection'), { type: 'act', action: 'switchConnection' });
    const gone = new FetchImageError('expired', shown`It has expired.`, 404);
    await show({ state: { ...edited, result: { edit: finished, source: fileSource, error: gone } } });
    await alert.getByText('Edit again.').waitFor();
  });

  it('shows the reason of a failed edit, and marks no field, because the reason has no code', async () => {
    const error = new EditFailedError('failed', { id: 'sync-99', error: 'the prompt has <b>no</b> known instruction' });
    const { page } = await start({ state: { source: fileSource, error } });
    const alert = page.getByRole('alert');
    await alert.getByText('The edit failed: the prompt has <b>no</b> known instruction').waitFor();
    await alert.getByText('Job sync-99').waitFor();
    assert.equal(await page.locator('[aria-invalid=true], .affected').count(), 0);
    assert.equal(await page.locator('.notice b').count(), 0);
  });

  for (const width of [1100, 500])
    it(`shows the button and the failure of an edit in a window of ${width} by 600 pixels`, async () => {
      const reason = `the prompt contains no known instruction; the known instructions are: ${'brighten, '.repeat(100)}`;
      const error = new EditFailedError('failed', { id: 'sync-99', error: reason });
      const { page, show, screenshot } = await start({ state: edited }, { width, height: 600 });
      await show({ state: { ...edited, error }, form: { prompt: 'make it nice' } });
      await page.getByRole('alert').waitFor();
      const boxes = await Promise.all(
        [prompt(page), runButton(page), page.getByRole('alert')].map((one) => one.boundingBox()),
      );
      for (const box of boxes) assert.ok(box && box.y >= 0 && box.y + box.height <= 600, JSON.stringify(boxes));
      await screenshot(`image-edit-failed-600-${width}`);
    });

  it('folds the earlier result after a failed edit', async () => {
    const error = new EditFailedError('failed', { id: 'sync-99', error: 'the prompt contains no known instruction' });
    const { page, show } = await start({ state: edited });
    await page.getByRole('button', { name: 'Save to Workspace' }).waitFor();
    await show({ state: { ...edited, error } });
    await page.getByText('The last edit failed.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save to Workspace' }).isVisible(), false);
    await page.getByText('Earlier result').click();
    await page.getByRole('button', { name: 'Save to Workspace' }).waitFor();
    await pictures(page, 2);
    await show({ state: edited });
    await page.getByRole('button', { name: 'Save to Workspace' }).waitFor();
    assert.equal(await page.getByText('Earlier result').count(), 0);
  });

  it('refuses files on a hosted platform, and says the price', async () => {
    const { page } = await start({ state: { source: fileSource }, connection: HOSTED, form: { prompt: 'blur' } });
    await page.locator('#source-problem', { hasText: 'or connect to a local platform' }).waitFor();
    await page.getByText('$0.02 per image', { exact: true }).waitFor();
    const sent = await count();
    await prompt(page).press('Control+Enter');
    assert.equal(await count(), sent);
    await page.getByText('Examples', { exact: false }).first().waitFor();
  });

  it('opens and removes stored edits', async () => {
    const { page } = await start({ history });
    await page.getByRole('button', { name: /^make it black and white/ }).click();
    assert.deepEqual(await last(), { type: 'openEdit', id: 'sync-1' });
    await page.getByRole('button', { name: /^Remove the edit “rotate it/ }).click();
    assert.deepEqual(await last(), { type: 'removeEdit', id: 'sync-2' });
  });

  it('keeps the parameters, the source, and the layout, and ignores invalid messages', async () => {
    const form = {
      prompt: 'blur',
      negativePrompt: '',
      seedMode: 'fixed',
      seed: '7',
      format: 'jpeg',
      safetyChecker: true,
    };
    const { page, receive, show } = await start({}, { state: { form, layout: 'slider' } });
    await receive({ type: 'form', form });
    await receive({ type: 'view', view: { run: 'nonsense' } });
    await show({ state: edited });
    await page.getByRole('slider').waitFor();
    assert.equal(await prompt(page).inputValue(), 'blur');
    assert.deepEqual(await page.evaluate('acquireVsCodeApi().getState()'), {
      form,
      layout: 'slider',
      result: 'sync-1234',
      source: { kind: 'file', uri: 'file:///folder/photos/harbor.png' },
    });
  });

  it('keeps the keyboard focus at the button that replaces the focused one', async () => {
    const { page, show } = await start({ state: { source: fileSource }, form: { prompt: 'blur' } });
    const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()');
    await runButton(page).focus();
    await show({ state: { source: fileSource, run: { phase: 'queued', since: NOW } } });
    assert.equal(await focused(), 'Cancel');
    await show({ state: edited });
    assert.equal(await focused(), 'Edit Image');
    await page.getByRole('button', { name: 'Change Image…' }).focus();
    await show({});
    assert.equal(await focused(), 'Choose File…');
  });

  it('draws a thumbnail of a large result once it is in the history', async () => {
    const { page, show } = await start({ state: edited });
    await pictures(page, 2);
    const [stored] = history;
    assert.ok(stored);
    const unpictured = { ...stored, id: finished.id, thumbnail: undefined };
    const sent = await count();
    await show({ state: edited, history: [unpictured] });
    await page.waitForFunction((number) => (globalThis as unknown as { sent: unknown[] }).sent.length > number, sent);
    const message = await last();
    assert.ok(message.type === 'thumbnail');
    assert.equal(message.id, finished.id);
    await show({ state: edited, history: [unpictured] });
    await show({ state: edited, history: [{ ...unpictured, thumbnail: message.bytes }] });
    await page.locator('.history img').waitFor();
    assert.equal(await count(), sent + 1, 'it is drawn once');
  });

  it('shows names and messages as plain text', async () => {
    const hostile = '<img src=x onerror="document.title=1"><a href="command:evil">x</a>';
    const { page } = await start({
      state: { source: { ...fileSource, name: hostile, image: undefined } },
      connection: { client: {} as never, profile: { kind: 'hosted', name: hostile } as never },
    });
    await page.getByRole('heading').getByText(hostile).waitFor();
    assert.equal(await page.locator('img, a').count(), 0);
  });
});
