import assert from 'node:assert/strict';
import { BILLING_PAGE } from '../../src/features/spend/billing/billingView.ts';
import { IMAGE_EDIT_PAGE } from '../../src/features/images/imageEditFailures.ts';
import type { WebviewPage as Definition, WebviewTexts } from '../../src/kit/webviewPage.ts';
import { accessibilityProblems } from './axe.ts';
import { sentFor } from './billing/sample.ts';
import { hostedMonth, NOW } from './billing/states.ts';
import { edited, fileSource, history, sender } from './imageEdit/sample.ts';
import { startWebviews, type WebviewPage } from './webviewPage.ts';

const bundle = {
  Billing: '账单',
  'Show as Table': '以表格显示',
  'This month': '本月',
  '{0}: {1}': '{0}：{1}',
  'about {0}': '约 {0}',
  '{0} spent so far.': '目前已支出 {0}。',
  '{0} to {1} {2}': '{0} 至 {1}（{2}）',
  '{0} less than in {1}': '比{1}少 {0}',
  '{0} more than in {1}': '比{1}多 {0}',
  'the {0} days before': '之前 {0} 天',
  'Updated {0}.': '{0} 更新。',
  'Edit Image': '编辑图像',
  'Recent Edits': '最近的编辑',
  'Edited {0}': '{0} 的编辑结果',
  '{0} of {1} characters': '{0} 个字符，最多 {1} 个',
};
const chinese: WebviewTexts = { language: 'zh-cn', bundle };

describe('a page in another language', function () {
  /** Opens a page, and checks that the browser reports no errors. */
  async function withPage(definition: Definition, use: (opened: WebviewPage) => Promise<void>) {
    await using webviews = await startWebviews(definition, chinese);
    const opened = await webviews.open();
    await use(opened);
    assert.deepEqual(await accessibilityProblems(opened.page), []);
    assert.deepEqual(opened.complaints, []);
  }

  it('shows its texts, amounts, and times in this language', async () => {
    await withPage(BILLING_PAGE, async ({ page, receive, screenshot }) => {
      const { view, chart } = sentFor(hostedMonth, NOW);
      await receive({ type: 'view', view });
      await receive({ type: 'chart', chart });
      await page.getByRole('heading', { name: '账单' }).waitFor();
      await page.getByText('以表格显示').waitFor();
      await page.getByRole('heading', { name: '2025年11月' }).waitFor();
      await page.getByText('2025年10月23日 00:00 至 2025年11月22日 00:00（UTC）').waitFor();
      await page.getByText(/比之前 29 天[少多] \d+%/).waitFor();
      await page.locator('.figure', { hasText: /^\s*约\s\$\d/ }).waitFor();
      assert.equal(await page.evaluate('document.documentElement.lang'), 'zh-cn');
      await screenshot('billing-chinese');
    });
  });

  it('moves the elements of a sentence to their place in this language', async () => {
    await withPage(IMAGE_EDIT_PAGE, async (opened) => {
      const { page, screenshot } = opened;
      const source = {
        ...fileSource,
        source: { kind: 'result', url: 'https://example.com/1.png', editId: 'sync-1' },
      } as const;
      await sender(opened)({ state: { ...edited, source }, history, form: { prompt: 'rotate it' } });
      await page.getByRole('heading', { name: '编辑图像' }).waitFor();
      assert.equal(await page.locator('.source .name').innerText(), 'photos/harbor.png 的编辑结果');
      await page.getByText(/^\s*9 个字符，最多 \d,\d{3} 个/).waitFor();
      await page.getByText('2025年11月21日 14:29').waitFor();
      await screenshot('image-edit-chinese');
    });
  });
});
