/** A page of src/webviews. */
export interface WebviewPage<ToHost = unknown> {
  /** Name of its folder, its script, and its style sheet. */
  readonly name: string;
  /** Name of its icons in media/webviews, without the theme. */
  readonly iconName: string;
  readonly title: string;
  /** Whether the page shows pictures. Their bytes come in messages, because the page has no network access. */
  readonly showsPictures: boolean;
  /** Schema of the messages that the page sends. */
  readonly messages: { safeParse(message: unknown): { readonly data?: ToHost | undefined } };
}

/** Returns a remedy as a button of a page, if an action of the page runs its command. */
export function remedyButton<Action extends string>(
  commands: Readonly<Record<Action, string>>,
  remedy: { readonly label: string; readonly command: string } | undefined,
): { readonly remedy?: { readonly label: string; readonly action: Action } } {
  const action = (Object.keys(commands) as Action[]).find((name) => commands[name] === remedy?.command);
  return remedy && action ? { remedy: { label: remedy.label, action } } : {};
}

export interface WebviewAddresses {
  readonly script: string;
  readonly style: string;
  /** Source of the style sheet: `webview.cspSource`. */
  readonly source: string;
  /** Random text, new for each document. */
  readonly nonce: string;
}

/** Texts of a language, by the English text. */
export interface WebviewTexts {
  /** Language as a BCP 47 tag. */
  readonly language: string;
  /** Undefined for English. */
  readonly bundle: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the texts of a page in the language of the editor. A language without a bundle gets English, so that a screen reader pronounces
 * the page in the language of its texts.
 *
 * @param bundle all texts of the extension
 * @param keys the English texts of the page
 */
export function webviewTexts(
  language: string,
  bundle: WebviewTexts['bundle'],
  keys: () => readonly string[],
): WebviewTexts {
  if (!bundle) return { language: 'en', bundle };
  const own = keys().flatMap((key) => (Object.hasOwn(bundle, key) ? [[key, bundle[key]] as const] : []));
  return { language, bundle: Object.fromEntries(own) };
}

/** Returns the HTML document of a page. Its policy allows one script with the
 * chunks that it imports, one style sheet, no network access, and no inline code. */
export function webviewDocument(
  { title, showsPictures }: Pick<WebviewPage, 'title' | 'showsPictures'>,
  { script, style, source, nonce }: WebviewAddresses,
  { language, bundle }: WebviewTexts,
): string {
  const pictures = showsPictures ? '; img-src blob:' : '';
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}${pictures}`;
  return `<!DOCTYPE html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <link rel="stylesheet" href="${style}">
    <script type="application/json" id="texts">${bundle ? jsonInHtml(bundle) : ''}</script>
    <script type="module" nonce="${nonce}" src="${script}"></script>
  </head>
  <body></body>
</html>`;
}

/** Returns JSON that cannot end the script element around it, or begin a comment. */
function jsonInHtml(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
