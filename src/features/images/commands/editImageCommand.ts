import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { askForText, pick, separator, type ShownItem } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import type { ImageEditorSource } from '../imageEditPanel.ts';
import type { ImageEditors } from '../imageEditors.ts';
import { chooseSourceFile } from '../sourceFile.ts';

const TITLE = l10n.t('Edit Image');
const EXTENSION = /\.(png|jpe?g)$/i;
const IMAGES = '**/*.{png,jpg,jpeg,PNG,JPG,JPEG}';
/** Maximum number of images of the workspace that are listed. */
const MAX_LISTED = 1_000;

/** @param argument the file of a menu, or anything else to let the user choose */
export async function editImageCommand(editors: ImageEditors, argument: unknown): Promise<void> {
  const source = argument instanceof vscode.Uri ? argument : await chooseSource();
  if (source !== undefined) await editors.open(source === 'none' ? undefined : source);
}

type Chosen = ImageEditorSource | 'none';

interface SourceItem extends ShownItem {
  readonly choose?: () => Promise<Chosen | undefined>;
}

/** Lets the user choose the image of the active tab, an image of the workspace, an address, or another file. */
async function chooseSource(): Promise<Chosen | undefined> {
  const active = activeImage();
  const others: readonly SourceItem[] = [
    { label: shown`$(link) Image at an Address…`, description: l10n.t('read by the platform'), choose: askForAddress },
    { label: shown`$(folder-opened) Other File…`, choose: chooseSourceFile },
    {
      label: shown`$(window) Open the Editor`,
      description: l10n.t('to drop or paste an image'),
      choose: () => chosen('none'),
    },
  ];
  const listed = vscode.workspace.findFiles(IMAGES, undefined, MAX_LISTED).then((found) => {
    const names = found.map((uri) => ({ uri, name: vscode.workspace.asRelativePath(uri) }));
    names.sort((a, b) => ORDER.compare(a.name, b.name));
    const files = names.map(({ uri, name }): SourceItem => ({
      label: shown`$(file-media) ${name}`,
      description: uri.toString() === active?.toString() ? l10n.t('active tab') : undefined,
      choose: () => chosen(uri),
    }));
    const isListed = active && found.some((uri) => uri.toString() === active.toString());
    const first = files.filter(({ description }) => description !== undefined);
    const rest = files.filter(({ description }) => description === undefined);
    const unlisted: readonly SourceItem[] =
      active && !isListed
        ? [
            {
              label: shown`$(file-media) ${vscode.workspace.asRelativePath(active)}`,
              description: l10n.t('active tab'),
              choose: () => chosen(active),
            },
          ]
        : [];
    const heading: readonly SourceItem[] = rest.length > 0 ? [separator(l10n.t('images of the workspace'))] : [];
    return [...unlisted, ...first, ...others, ...heading, ...rest];
  });
  const item = await pick<SourceItem>(Promise.resolve(listed), { title: TITLE, placeholder: l10n.t('Image to edit') });
  return item?.choose?.();
}

const ORDER = new Intl.Collator('en', { numeric: true });
const chosen = (value: Chosen): Promise<Chosen> => Promise.resolve(value);

/** Returns the image in the active tab. */
function activeImage(): vscode.Uri | undefined {
  const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const isFile = input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputText;
  return isFile && EXTENSION.test(input.uri.path) ? input.uri : undefined;
}

async function askForAddress(): Promise<ImageEditorSource | undefined> {
  const url = await askForText({
    title: TITLE,
    prompt: l10n.t('Public address, which only the platform reads'),
    value: '',
    ignoreFocusOut: true,
    validate: (text) => (isWebAddress(text) ? undefined : l10n.t('Enter an https:// or http:// address')),
  });
  return url === undefined ? undefined : { kind: 'url', url: url.trim() };
}

function isWebAddress(text: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(text.trim())?.protocol ?? '');
}
