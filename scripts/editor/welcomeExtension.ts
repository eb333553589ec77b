import path from 'node:path';

/** Folder of the extension that opens the walkthrough in the window of `npm start`. It keeps this out of the product. */
export const welcomeExtension = path.join(import.meta.dirname, 'welcome');
