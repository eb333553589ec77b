/**
 * Remembers the part of the page that has the focus. The returned function moves the focus to the first button of this part if the
 * focused element has been removed, because the focus would otherwise be at the start of the page.
 */
export function rememberFocus(): () => void {
  const focused = document.activeElement;
  const part = partOf(focused);
  return () => {
    if (part === undefined || !focused || focused.isConnected || !document.hasFocus()) return;
    const button = document.querySelector<MaybeElement>(`${part} :is(vscode-button, button):not([disabled])`);
    // A new custom element can have the focus only after its first update.
    void Promise.resolve(button?.updateComplete).then(() => button?.focus());
  };
}

/** An element of the page, or a custom element. */
type MaybeElement = HTMLElement & { readonly updateComplete?: Promise<boolean> };

/** Returns the selector of the part of the page that contains an element. */
function partOf(element: Element | null): string | undefined {
  if (element?.closest('.start')) return '.start';
  const heading = element?.closest('section')?.getAttribute('aria-labelledby');
  return heading ? `section[aria-labelledby="${heading}"]` : undefined;
}
