/**
 * The control kit, in one place so that another can take its place: it is archived. Only the parts that are used are
 * registered; the rest of the page knows their tags and events only.
 */
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeDropdown,
  vsCodeOption,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';

export function registerControls(): void {
  provideVSCodeDesignSystem().register(
    vsCodeButton(),
    vsCodeCheckbox(),
    vsCodeDropdown(),
    vsCodeOption(),
    vsCodeTextField(),
  );
}

/** What the page reads and sets on the kit's elements. */
export interface ValueControl extends HTMLElement {
  value: string;
}

export interface CheckControl extends HTMLElement {
  checked: boolean;
}
