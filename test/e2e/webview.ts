import type { Frame, Page } from 'playwright-core';

export type FrameTest = (frame: Frame) => boolean | Promise<boolean>;

/**
 * The frame that holds a webview's own document. The editor puts it two frames deep and gives the inner one the title of
 * its panel. Looks again whenever a frame appears or is filled; rejects when none fits in time.
 */
export async function webviewFrame(page: Page, which: string | FrameTest, timeoutMs = 30_000): Promise<Frame> {
  const fits: FrameTest = typeof which === 'string' ? (frame) => hasTitle(frame, which) : which;
  const found = Promise.withResolvers<Frame>();
  const look = async (): Promise<void> => {
    for (const frame of page.frames()) {
      // A frame may go away while it is asked.
      if (await Promise.resolve(fits(frame)).catch(() => false)) {
        found.resolve(frame);
        return;
      }
    }
  };
  const onChange = (): void => void look();
  const timer = setTimeout(
    () => found.reject(new Error(`No webview ${describe(which)} within ${timeoutMs} ms`)),
    timeoutMs,
  );
  page.on('frameattached', onChange).on('framenavigated', onChange);
  // The title is set some time after the frame is there, and no event tells.
  const again = setInterval(onChange, 200);
  try {
    await look();
    return await found.promise;
  } finally {
    clearTimeout(timer);
    clearInterval(again);
    page.off('frameattached', onChange).off('framenavigated', onChange);
  }
}

async function hasTitle(frame: Frame, title: string): Promise<boolean> {
  const element = await frame.frameElement();
  return (await element.getAttribute('id')) === 'active-frame' && (await element.getAttribute('title')) === title;
}

function describe(which: string | FrameTest): string {
  return typeof which === 'string' ? `with the title "${which}"` : 'that the test accepts';
}
