import assert from 'node:assert/strict';
import { FormPictures } from '../../../src/features/jobs/form/formPictures.ts';
import { JOB_FORM_PAGE } from '../../../src/features/jobs/form/formView.ts';
import { ToHost, type JobFormToHost } from '../../../src/webviews/jobForm/messages.ts';
import { accessibilityProblems } from '../axe.ts';
import { THEMES, type Theme } from '../themes.ts';
import { startWebviews, type WebviewPage } from '../webviewPage.ts';
import { hostOf, SCHEMA } from './sample.ts';

const TEXT = `{
  // The worker in the manifest.
  "endpoint": "painter",
  "input": {
    "steps": 20, // enough
    "scheduler": "DDIM",
    "other": 1
  }
}
`;

describe('the form for the input of a job', function () {
  let webviews: Awaited<ReturnType<typeof startWebviews>>;
  let open: WebviewPage | undefined;

  before(async () => {
    webviews = await startWebviews(JOB_FORM_PAGE);
  });

  after(() => webviews[Symbol.asyncDispose]());

  const start = async (text = TEXT, options: Parameters<typeof webviews.open>[0] = {}, schema = SCHEMA) => {
    open = await webviews.open(options);
    const form = hostOf(open, text, schema);
    await form.settle();
    await open.page.getByRole('heading', { level: 1 }).waitFor();
    return { ...open, ...form };
  };
  const last = async (): Promise<JobFormToHost> => ToHost.parse((await open?.sent())?.at(-1));

  afterEach(async () => {
    assert.deepEqual(open?.complaints, [], 'the browser reports no errors and no policy violations');
    await open.page.close();
    open = undefined;
  });

  const FULL = JSON.stringify({
    input: {
      ...{ steps: 99, prompt: 'a', image: 'A'.repeat(4_000), tags: ['a', 'b'], size: { width: 1 }, extra: { a: [1] } },
      ...{ scheduler: 'other', token: 'x', other: 1 },
    },
  });

  it('shows the picture in a value beside it', async () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const { page, receive, host, settle } = await start(JSON.stringify({ input: { image: pixel } }));
    const input = { image: pixel };
    const { values, pictures } = new FormPictures().of([{ path: ['image'], large: { bytes: 70 } }], input);
    for (const picture of pictures) await receive({ type: 'picture', picture });
    host.changes = { values };
    await settle();
    const thumbnail = page.getByRole('img', { name: 'Picture in image' });
    await thumbnail.waitFor();
    assert.equal(await thumbnail.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth), 1);
  });

  for (const theme of Object.keys(THEMES) as Theme[]) {
    it(`has no accessibility problem in the ${theme} theme, also at 200 %`, async () => {
      const empty = await start(TEXT, { theme });
      await empty.screenshot(`job-form-empty-${theme}`);
      assert.deepEqual(await accessibilityProblems(empty.page), []);
      await empty.page.close();
      const { page, settle, screenshot } = await start(FULL, { theme, zoom: 2, width: 800 });
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await settle();
      await page.getByRole('alert').waitFor();
      await screenshot(`job-form-problems-${theme}`);
      assert.deepEqual(await accessibilityProblems(page), []);
      assert.ok(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'));
    });
  }

  it('shows required fields first, and describes each field', async () => {
    const { page } = await start();
    const labels = await page.locator('.fields > * .label').allTextContents();
    assert.deepEqual(labels.slice(0, 3), ['Prompt', 'image', 'steps']);
    const described = await page.evaluate<string>(`{
      const [steps] = [...document.querySelectorAll('label')].filter((label) => label.textContent === 'steps');
      const ids = document.getElementById(steps.htmlFor).getAttribute('aria-describedby').split(' ');
      ids.map((id) => document.getElementById(id).textContent).join(' ');
    }`);
    assert.equal(described, 'Number of denoising steps. Number: 1 to 50. Default: 20.');
    assert.equal(await page.getByLabel('Prompt').getAttribute('aria-required'), 'true');
    assert.equal(await page.getByLabel('token').getAttribute('type'), 'password');
  });

  it('writes values into the JSON, and keeps its comments and its other members', async () => {
    const { page, host, settle } = await start();
    await page.getByLabel('Prompt').fill('a cat');
    await page.getByLabel('steps').fill('30');
    await page.getByLabel('scheduler').selectOption('K-LMS');
    await page.getByLabel('upscale').check();
    await settle();
    await page.getByRole('button', { name: 'Add tags' }).click();
    await settle();
    await page.getByLabel('tags 1', { exact: true }).fill('night');
    await page.getByLabel('width').fill('512');
    await page.getByLabel('extra').fill('{"seed": [1, 2]}');
    await settle();
    assert.equal(
      host.text,
      `{
  // The worker in the manifest.
  "endpoint": "painter",
  "input": {
    "steps": 30, // enough
    "scheduler": "K-LMS",
    "other": 1,
    "prompt": "a cat",
    "upscale": true,
    "tags": [
      "night"
    ],
    "size": {
      "width": 512
    },
    "extra": {
      "seed": [
        1,
        2
      ]
    }
  }
}
`,
    );
    await page.getByLabel('steps').fill('');
    await page.getByRole('button', { name: 'Remove tags 1' }).click();
    await settle();
    assert.doesNotMatch(host.text, /"steps"|night/);
    await page.getByText('other: Property other is not allowed.').waitFor();
  });

  it('follows changes of the JSON', async () => {
    const { page, host, settle } = await start();
    host.text = '{ "input": { "steps": 7, "tags": ["x", "y"], "scheduler": 5, "upscale": true } }';
    await settle();
    assert.equal(await page.getByLabel('steps').inputValue(), '7');
    assert.equal(await page.getByLabel('tags 2', { exact: true }).inputValue(), 'y');
    assert.equal(await page.getByLabel('upscale').isChecked(), true);
    assert.equal(await page.getByLabel('scheduler').inputValue(), '5', 'a value without a choice is edited as JSON');
    host.text = '{ "input": { "steps": 7';
    await settle();
    await page.getByRole('alert').getByText('The JSON has an error in line 1').waitFor();
    host.text = '{ "input": { "steps": 8 } }';
    await settle();
    assert.equal(await page.getByLabel('steps').inputValue(), '8');
  });

  it('keeps what is being typed, and ignores values of earlier changes', async () => {
    const { page, host, settle, receive, sent } = await start();
    const steps = page.getByLabel('steps');
    await steps.fill('1e');
    const before = (await sent()).length;
    await page.getByText('Enter a number.').waitFor();
    assert.equal((await sent()).length, before, 'a text that is no number is not sent');
    await steps.fill('1.5');
    await page.getByText('Enter a whole number.').waitFor();
    await page.getByLabel('Prompt').fill('first');
    await settle();
    const { handled } = host;
    await page.getByLabel('Prompt').fill('first and second');
    assert.equal(await steps.inputValue(), '1.5');
    // A view of the earlier change arrives late.
    await receive({
      type: 'view',
      view: { endpoint: 'late', source: '', fields: [], values: [], problems: [], refusals: 0, revision: 0 },
    });
    assert.equal(await page.getByLabel('Prompt').inputValue(), 'first and second');
    assert.equal(host.handled, handled);
    await settle();
    assert.match(host.text, /first and second/);
  });

  it('keeps texts that are no values yet while it is hidden', async () => {
    const { page } = await start(TEXT, { state: { typed: [{ key: '["extra"]', text: '{"a":', base: '' }] } });
    assert.equal(await page.getByLabel('extra').inputValue(), '{"a":');
    await page.getByText('Enter valid JSON.').waitFor();
  });

  it('names the problems of a run at their fields, moves the focus there, and can run anyway', async () => {
    const { page, host, settle } = await start();
    await page.getByText('Required.').first().waitFor({ state: 'detached' });
    await page.getByLabel('steps').press('Control+Enter');
    assert.deepEqual(await last(), { type: 'run', kind: 'run', force: false });
    await settle();
    await page.getByRole('alert').waitFor();
    const focused = await page.evaluate<string>('document.activeElement.id');
    assert.equal(focused, await page.getByLabel('Prompt').getAttribute('id'));
    await page.getByRole('button', { name: 'Run Anyway' }).click();
    await settle();
    assert.deepEqual(host.ran, [false, true]);
    await page.getByRole('button', { name: 'Run and Wait' }).click();
    assert.deepEqual(await last(), { type: 'run', kind: 'runSync', force: false });
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    assert.deepEqual(await last(), { type: 'editAsJson' });
  });

  it('can be filled in with the keyboard alone', async () => {
    const { page, host, settle } = await start();
    const { keyboard } = page;
    await page.getByLabel('Prompt').focus();
    await keyboard.type('a dog');
    await keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent.trim()'), 'Choose File…');
    await keyboard.press('Tab');
    await keyboard.press('Control+A');
    await keyboard.type('5');
    await keyboard.press('Tab');
    await keyboard.press('ArrowDown');
    await keyboard.press('Tab');
    await keyboard.press('Space');
    await settle();
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await settle();
    await keyboard.type('one');
    await settle();
    const { input } = JSON.parse(host.text.replaceAll(/\/\/.*/g, '')) as { input: unknown };
    assert.deepEqual(input, { steps: 5, scheduler: 'K-LMS', other: 1, prompt: 'a dog', upscale: true, tags: ['one'] });
  });

  it('takes files that are chosen, dropped, and pasted, and tells why one cannot be used', async () => {
    const { page, host, settle } = await start();
    await page.getByRole('button', { name: 'Choose File… (image)' }).click();
    assert.deepEqual(await last(), { type: 'chooseFile', path: ['image'], revision: 1 });
    const give = (type: string, label: string, data: string) =>
      page.evaluate(`{
        const data = new DataTransfer();
        ${data}
        const target = document.getElementById(${JSON.stringify(label)});
        const event = ${JSON.stringify(type)} === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
        target.dispatchEvent(event);
      }`);
    const image = 'field-1';
    const mask = (await page.getByLabel('mask_url', { exact: true }).getAttribute('id')) ?? '';
    await give('drop', image, `data.items.add(new File(['abc'], 'a.png', { type: 'image/png' }));`);
    await page.waitForFunction('sent.length === 3');
    const dropped = await last();
    assert.ok(dropped.type === 'fileBytes');
    assert.deepEqual([dropped.path, dropped.name, Buffer.from(dropped.bytes).toString()], [['image'], 'a.png', 'abc']);
    await give('drop', mask, `data.setData('text/uri-list', 'file:///ws/mask.png');`);
    await page.waitForFunction('sent.length === 4');
    assert.deepEqual(await last(), { type: 'fileUri', path: ['mask_url'], uri: 'file:///ws/mask.png', revision: 3 });
    await give('paste', mask, `data.items.add(new File(['abc'], 'b.png', { type: 'image/png' }));`);
    await page.waitForFunction('sent.length === 5');
    // Another field takes no files, and the page does not open them.
    await give(
      'drop',
      (await page.getByLabel('steps').getAttribute('id')) ?? '',
      `data.setData('text/uri-list', 'file:///ws/mask.png');`,
    );
    host.changes = { fileFailure: { path: ['image'], message: 'a.png is too large' } };
    await settle();
    await page.getByText('a.png is too large.').waitFor();
    host.changes = {};
    host.text = JSON.stringify({
      input: { image: 'A'.repeat(4_000), mask_url: `data:image/png;base64,${'A'.repeat(40_000)}` },
    });
    await settle();
    await page.getByText('2.9 KB').waitFor();
    await page.getByText('image/png, 29.3 KB').waitFor();
    await page.getByRole('button', { name: 'Remove image' }).click();
    await settle();
    assert.doesNotMatch(host.text, /"image"/);
  });

  it('does not run the patterns of a schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const { page, host, settle } = await start('{"input":{}}', {}, schema);
    await page.getByLabel('a', { exact: true }).fill(`${'a'.repeat(40)}!`);
    await settle();
    await page.getByText('The values are not checked: the check was stopped after 1000 ms.').waitFor();
    await page.getByLabel('a', { exact: true }).fill('aa');
    await settle();
    assert.match(host.text, /"aa"/);
  });
});
