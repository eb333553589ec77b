import type { Frame } from 'playwright-core';

/** Chooses a value in a list of the billing view. */
export async function chooseInBilling(frame: Frame, label: string, value: string): Promise<void> {
  const list = `vscode-single-select[label="${label}"]`;
  await frame.locator(list).waitFor();
  await frame.evaluate(`{
    const list = document.querySelector(${JSON.stringify(list)});
    list.value = ${JSON.stringify(value)};
    list.dispatchEvent(new Event('change'));
  }`);
}
